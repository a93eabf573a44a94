import { AppError } from '../errors.ts';
import { publicBody } from './compress.ts';
import type { Exchange } from './exchange.ts';
import type { Shown } from './page.ts';
import { addHead } from './reply-head.ts';
import { type HttpRuntime, tellAnswered } from './runtime.ts';
import { sendContent } from './send-content.ts';
import type { Site } from './site.ts';

/** Who sends, and what it is sent with. */
interface Sender {
  readonly site: Site;
  readonly http: HttpRuntime;
  readonly exchange: Exchange;
}

/** Sends a file that is in memory in place of a page. */
export async function sendFile(
  { site, http, exchange }: Sender,
  { content, head }: Extract<Shown, { content: object }>,
): Promise<void> {
  const isKnown = head !== undefined && addHead(exchange, head, http.state.isHttps);
  exchange.headers['Cache-Control'] ??= 'no-store';
  const { text } = content;
  const isPacked = typeof text === 'string' && head?.cache?.by === 'public';
  const body = isKnown ? '' : await (isPacked ? publicBody(exchange, text) : text);
  if (!isKnown) {
    exchange.headers['Content-Type'] = content.type;
    exchange.headers['Content-Length'] = String(Buffer.byteLength(body));
  }
  const status = isKnown ? 304 : 200;
  exchange.res.writeHead(status, exchange.headers).end(isKnown ? undefined : body);
  tellAnswered(site.answerer, http, exchange, status, null);
}

/** How pages say that the conditions of a request are not met. */
const manner = {
  unmet: (header: string, message: string, status: number) =>
    new AppError('PRECONDITION_FAILED', status, `${header}: ${message}`),
  unexpected: () => new AppError('SERVER_ERROR', 500, 'Unexpected error'),
};

/**
 * Sends bytes that may be many in place of a page, whole or in part.
 *
 * @returns what is shown instead, when they were refused before the first of them was sent
 */
export async function sendStream(
  { site, http, exchange }: Sender,
  { stream, orElse }: Extract<Shown, { stream: object }>,
): Promise<Shown | null> {
  try {
    const sent = await sendContent(manner, exchange, stream);
    tellAnswered(site.answerer, http, exchange, sent.status, sent.code);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || exchange.res.headersSent) throw error;
    return orElse(error);
  }
}
