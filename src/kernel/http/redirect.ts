import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

const CHALLENGE = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,128})$/;

/** What a certificate authority asks a host for, by the token of its question (RFC 8555, 8.3). */
export type ChallengeAnswers = (token: string) => Promise<string | undefined>;

/**
 * Answers plain HTTP: pages move to the encrypted address, and a certificate authority gets its answer. Anything else
 * is refused, so that a client that sends keys unencrypted is noticed and not quietly led on.
 *
 * @param baseUrl origin that is redirected to
 */
export function redirectTo(baseUrl: string, answers: ChallengeAnswers): RequestListener {
  return (req, res) => {
    respond(req, res, baseUrl, answers).catch(() => res.destroy());
  };
}

async function respond(
  req: IncomingMessage,
  res: ServerResponse,
  baseUrl: string,
  answers: ChallengeAnswers,
): Promise<void> {
  // A proxy asks by the whole address.
  const path = (req.url ?? '/').replace(/^[a-z]+:\/\/[^/]*/i, '');
  if (req.method !== 'GET' && req.method !== 'HEAD') return refuse(res, baseUrl);
  const token = CHALLENGE.exec(path)?.[1];
  const answer = token === undefined ? undefined : await answers(token);
  if (answer !== undefined) {
    res.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' });
    res.end(answer);
  } else if (token !== undefined) {
    res.writeHead(404, { 'Content-Type': 'text/plain' }).end('This challenge is not known here.\n');
  } else {
    const to = baseUrl + (path.startsWith('/') ? path : '/');
    res.writeHead(301, { Location: to, 'Content-Type': 'text/plain' }).end(`${to}\n`);
  }
}

function refuse(res: ServerResponse, baseUrl: string): void {
  const message = `Use ${baseUrl}: requests over plain HTTP are not accepted`;
  const body = JSON.stringify({ success: false, error: { code: 'VALIDATION_ERROR', message } });
  res.writeHead(403, { 'Content-Type': 'application/json', Connection: 'close' }).end(body);
}
