import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { AnswerRefused } from './failures.ts';
import type { Address } from './lookup.ts';
import type { TargetRequest, TargetRules } from './types.ts';
import { checkAddress, hostOf } from './url.ts';

/** One request whose target has been judged. */
export interface Exchange {
  readonly url: URL;
  /** All of them have passed the guard; the connection takes one of them and asks nobody again. */
  readonly addresses: readonly Address[];
  readonly request: TargetRequest;
  readonly rules: TargetRules;
}

/** The receiver's answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly excerpt: string;
  /** When its head had come, in milliseconds of the monotonic clock. */
  readonly headAt: number;
}

const CLOSED = 'the receiver closed the connection without an answer';
const MAX_HEAD_BYTES = 16_384;
const MAX_BODY_BYTES = 65_536;
const MAX_HEADERS = 50;
const MAX_HEADER_LENGTH = 1000;
const MAX_INTERIM_ANSWERS = 16;

/** Headers that this client writes itself: they decide where a request ends and how an answer is read. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Connects, sends and reads at most 64 KiB of the answer; then the connection is gone, whatever happened.
 *
 * @param signal the deadline. An answer whose head came before it counts, with as much of its body as there is
 * @throws Error of the network, TargetRefused when the peer is not allowed, AnswerRefused, or the signal's reason
 */
export function exchange(one: Exchange, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
  const sent = open(one);
  return new Promise<Answer>((resolve, reject) => {
    let finish: () => void = () => undefined;
    const abort = (): void => fail(signal.reason);
    const end = (): void => {
      signal.removeEventListener('abort', abort);
      sent.destroy();
    };
    const fail = (error: unknown): void => {
      // After the head this settles with the answer; what is settled already stays as it is.
      finish();
      end();
      reject(error);
    };
    signal.addEventListener('abort', abort, { once: true });
    // It stays: a destroyed request may still tell of errors.
    sent.on('error', fail);
    sent.on('close', () => fail(new AnswerRefused(CLOSED)));
    sent.on('socket', (socket) => sendWhenConnected(sent, socket, one, fail));
    limitInterimAnswers(sent, fail);
    sent.on('upgrade', (message, socket) => {
      socket.destroy();
      end();
      resolve({ ...headOf(message), excerpt: '' });
    });
    sent.on('response', (message) => {
      const read = readAnswer(message, one.request.keepBytes, () => finish());
      finish = () => {
        end();
        resolve(read());
      };
    });
  });
}

function open({ url, addresses, request }: Exchange): http.ClientRequest {
  const host = hostOf(url);
  const isName = isIP(host) === 0;
  const secure = url.protocol === 'https:';
  return (secure ? https : http).request({
    host,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: request.method,
    headers: headersOf(url, request),
    // An agent of its own: the global one obeys variables that name a proxy, and a kept connection outlives its name.
    agent: secure
      ? new https.Agent({ keepAlive: false, maxCachedSessions: 0 })
      : new http.Agent({ keepAlive: false }),
    lookup: lookupIn(addresses),
    ...(secure && {
      // A certificate and SNI are about the name without the dot that ends it.
      servername: isName ? host.replace(/\.$/, '') : '',
      ALPNProtocols: ['http/1.1'],
      // Also when a variable switches it off for the whole process.
      rejectUnauthorized: true,
    }),
    maxHeaderSize: MAX_HEAD_BYTES,
    insecureHTTPParser: false,
  });
}

function headersOf(url: URL, { headers, body, method }: TargetRequest): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  const length = Buffer.byteLength(body);
  return {
    Host: url.host,
    ...Object.fromEntries(own),
    ...((length > 0 || method === 'POST') && { 'Content-Length': String(length) }),
    'Accept-Encoding': 'identity',
    Connection: 'close',
  };
}

/** Gives the judged addresses to `net.connect`, which asks for all of them or for one. */
const lookupIn =
  (addresses: readonly Address[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };

/** The body leaves only when the peer itself has passed the guard, and its certificate was accepted. */
function sendWhenConnected(
  sent: http.ClientRequest,
  socket: Socket,
  { url, request, rules }: Exchange,
  fail: (error: unknown) => void,
): void {
  const check = (): boolean => {
    const peer = socket.remoteAddress;
    try {
      // It may have gone in the same moment.
      if (peer === undefined) throw new AnswerRefused(CLOSED);
      checkAddress(url, peer, rules);
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  };
  const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect';
  socket.once('connect', check);
  socket.once(ready, () => {
    if (check()) sent.end(request.body);
  });
}

/** A receiver could send 100 Continue for ever. */
function limitInterimAnswers(sent: http.ClientRequest, fail: (error: unknown) => void): void {
  let count = 0;
  sent.on('information', () => {
    count += 1;
    if (count > MAX_INTERIM_ANSWERS) fail(new AnswerRefused('the receiver keeps sending interim answers'));
  });
}

function headOf(message: http.IncomingMessage): Omit<Answer, 'excerpt'> {
  const headers = Object.entries(message.headers)
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => [name, String(value).slice(0, MAX_HEADER_LENGTH)]);
  return { status: message.statusCode ?? 0, headers: Object.fromEntries(headers), headAt: performance.now() };
}

/** Reads until the body ends, breaks or is long enough; the returned function tells what there is. */
function readAnswer(message: http.IncomingMessage, keepBytes: number, onEnd: () => void): () => Answer {
  const head = headOf(message);
  const kept: Buffer[] = [];
  let read = 0;
  message.on('data', (chunk: Buffer) => {
    if (read < keepBytes) kept.push(chunk.subarray(0, keepBytes - read));
    read += chunk.length;
    if (read >= MAX_BODY_BYTES) onEnd();
  });
  for (const event of ['end', 'error', 'close']) message.on(event, onEnd);
  return () => ({ ...head, excerpt: textOf(Buffer.concat(kept)) });
}

/** Text that every database keeps: no half character at the end, no NUL. */
const textOf = (bytes: Buffer): string => new StringDecoder('utf8').write(bytes).replaceAll('\0', '\uFFFD');
