import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { getCACertificates } from 'node:tls';
import type { Environment } from '#kernel/environment.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { BrokenLine, proxyEnvironment, unreachable } from './unreachable.ts';

/** No answer of the admin API comes near this: a page of 500 releases with long changelogs. */
const MOST_BYTES = 64 * 1024 * 1024;

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a host name of a URL is this machine: what is sent to it leaves no network open. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.includes(hostname);

/** Where requests go, and what all of them carry. */
export interface Destination {
  readonly base: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** How long the other side may say nothing, in milliseconds. */
  readonly patienceMs: number;
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read from it. */
  readonly environment: Environment;
  /** Certificates as PEM that are trusted beside those of the system; null for none. */
  readonly ca: string | null;
}

/** Body of a request. */
export interface Sending {
  /** Content-Type. */
  readonly type: string;
  /** Bytes, exactly. */
  readonly size: number;
  /** Each is left as it is: the line may hold it for a while. */
  chunks(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** What came back, whole. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** A redirect is not followed: the token is for this server alone. */
  readonly headers: IncomingHttpHeaders;
}

/** One request. */
export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sending?: Sending | undefined;
}

/** Sends one request and reads the whole answer. @throws as receiving */
export const exchange = (destination: Destination, request: Request): Promise<Answer> =>
  receiving(destination, request, readAnswer);

/** Reads an answer as text. @throws Error for one without an end */
export const readAnswer = async (reply: IncomingMessage): Promise<Answer> => ({
  status: reply.statusCode ?? 0,
  text: await readWhole(reply),
  headers: reply.headers,
});

/**
 * Sends one request and hands the answer over as it begins to arrive. An answer that comes before the body has gone ends
 * the sending: the server has refused it.
 *
 * @param take reads the answer; what it throws beside a fault of the line is thrown as it is
 * @throws CliError 9 when there is no whole answer; what the body's source throws
 */
export async function receiving<T>(
  destination: Destination,
  { method, url, headers = {}, sending }: Request,
  take: (reply: IncomingMessage) => Promise<T>,
): Promise<T> {
  const agent = agentFor(url, destination);
  const call = open(destination, method, url, { agent, sending, headers });
  const answered = answerOf(call, destination.patienceMs, take);
  // It is awaited below; until then its failure must not count as unhandled.
  answered.catch(() => undefined);
  try {
    if (sending) await transmit(call, sending, answered);
    else call.end();
    return await answered;
  } catch (error) {
    throw error instanceof BrokenLine ? unreachable(url, error, proxyVariables(url, destination)) : error;
  } finally {
    call.destroy();
    agent.destroy();
  }
}

function open(
  { headers: common }: Destination,
  method: string,
  url: URL,
  { agent, sending, headers }: { agent: PlainAgent } & Pick<Request, 'sending' | 'headers'>,
): ClientRequest {
  const options = {
    method,
    agent,
    headers: {
      ...common,
      ...headers,
      ...(sending && { 'Content-Type': sending.type, 'Content-Length': sending.size }),
    },
  };
  return (isTls(url) ? requestHttps : requestHttp)(url, options);
}

const isTls = ({ protocol }: URL): boolean => protocol === 'https:';

/**
 * For one call. What goes to this machine is kept from a proxy, which would read the token of a request without TLS.
 *
 * A line that ends with the call would be closed by the server as soon as it has refused a body, and what is still being
 * sent would break it before the refusal was read: the server keeps it, and this side closes it.
 */
function agentFor(url: URL, destination: Destination): PlainAgent {
  const { ca } = destination;
  const proxyEnv = proxyVariables(url, destination);
  const options = { keepAlive: true, ...(proxyEnv !== null && { proxyEnv }) };
  const trusted = ca === null ? {} : { ca: [...getCACertificates('default'), ca] };
  try {
    return isTls(url) ? new TlsAgent({ ...options, ...trusted }) : new PlainAgent(options);
  } catch {
    // The error would show the address, and a password in it.
    throw usageError(`${isTls(url) ? 'HTTPS_PROXY' : 'HTTP_PROXY'} is not the address of a proxy`);
  }
}

/** The variables that may name a proxy; null for this machine, which no proxy reaches. */
const proxyVariables = (url: URL, { environment }: Destination): Environment | null =>
  isLoopback(url.hostname) ? null : proxyEnvironment(environment);

function answerOf<T>(
  call: ClientRequest,
  patienceMs: number,
  take: (reply: IncomingMessage) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const broken = ({ message, code = '' }: NodeJS.ErrnoException) =>
      reject(new BrokenLine(message || code || 'it cannot be reached', { code }));
    const silent = () => {
      // A call that still waits for its connection, or for a proxy, does not tell that it was ended.
      reject(new BrokenLine(`it did not answer for ${patienceMs / 1000} s`, { isSilent: true }));
      call.destroy();
    };
    const connecting = setTimeout(silent, patienceMs);
    call.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => clearTimeout(connecting));
      else clearTimeout(connecting);
    });
    call.once('close', () => clearTimeout(connecting));
    call.setTimeout(patienceMs, silent);
    call.once('error', broken);
    call.once('response', (reply) => {
      // What reads the answer may fail for reasons of its own, which say more than that the line broke.
      take(reply).then(resolve, (error: Error) => (reply.errored ? broken(error) : reject(error)));
    });
  });
}

async function readWhole(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new BrokenLine('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends the body as fast as the line takes it, until the other side has answered or the line is broken. */
async function transmit(
  call: ClientRequest,
  { size, chunks }: Sending,
  answered: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  const ended = answered.then(end, end);
  let sent = 0;
  for await (const chunk of chunks()) {
    if (isOver) return;
    sent += chunk.byteLength;
    if (sent > size) throw changed();
    if (!call.write(chunk)) await Promise.race([drained(call), ended]);
  }
  if (sent !== size) throw changed();
  call.end();
}

const drained = (call: ClientRequest): Promise<void> =>
  new Promise((resolve) => call.once('drain', () => resolve()));

const changed = (): CliError =>
  new CliError(exits.verificationFailed, 'VERIFICATION_FAILED', 'the file changed while it was sent', {
    hint: 'run it again when the file is complete',
    details: { reason: 'SIZE_MISMATCH' },
  });
