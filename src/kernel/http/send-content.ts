import type { IncomingMessage, ServerResponse } from 'node:http';
import { portionOf } from './conditions.ts';
import type { Content } from './content.ts';
import type { Exchange } from './exchange.ts';
import type { Surface } from './surface.ts';

/** What became of an answer that is sent in parts: the status that was sent, and a code when it did not arrive whole. */
export interface Sent {
  readonly status: number;
  readonly code: string | null;
}

/** How a surface says what a condition asks for, and what nobody expected. */
type Manner = Pick<Surface, 'unmet' | 'unexpected'>;

/** Of a client that takes nothing: its connection, buffers and open file would be held for ever. */
const STALLED_MS = 60_000;

/** The client went away, or took nothing for too long: that is nobody's fault here. */
const ABORTED = 'ABORTED';

/**
 * Answers with content: whole or one range of it, or with what its conditions ask for (licensing D92). A chunk is asked
 * for when the last one was handed to the system, so that a slow client holds two buffers and no more.
 *
 * Bytes that fail before the first of them was sent become an error like any other. Later there is no way to say so but
 * to break the connection, and that is what happens.
 *
 * @param stalledMs after which a client that takes nothing is given up
 * @throws the surface's 412 or 416, or what reading threw, while nothing was sent yet
 */
export async function sendContent(
  surface: Manner,
  exchange: Exchange,
  content: Content,
  stalledMs = content.stalledMs ?? STALLED_MS,
): Promise<Sent> {
  try {
    return await sendPortion(surface, exchange, content, stalledMs);
  } finally {
    await content.close().catch((error: unknown) => {
      exchange.ctx.log.warn({ err: error, requestId: exchange.requestId }, 'content was not closed');
    });
  }
}

async function sendPortion(
  surface: Manner,
  exchange: Exchange,
  content: Content,
  stalledMs: number,
): Promise<Sent> {
  const { req, res } = exchange;
  const { size, etag } = content;
  if (size === null || etag === null) return sendWhole(surface, exchange, content, stalledMs);
  const portion = portionOf(req.method, req.headers, { size, etag });
  const { status } = portion;
  if (status === 412) throw surface.unmet('If-Match', 'the content is another one', 412);
  if (status === 416) {
    exchange.headers['Content-Range'] = `bytes */${size}`;
    throw surface.unmet('Range', `the content has ${size} bytes`, 416);
  }
  // Not those of the exchange: an answer that fails at its first byte is about something else.
  const headers: Exchange['headers'] = {
    ...exchange.headers,
    'Cache-Control': content.headers['Cache-Control'] ?? 'no-store',
  };
  headers.ETag = etag;
  if (portion.start === undefined) {
    res.writeHead(status, headers).end();
    return { status, code: null };
  }
  const { start, end } = portion;
  Object.assign(headers, content.headers, {
    'Content-Type': content.type,
    'Content-Length': String(end - start + 1),
    'Accept-Ranges': 'bytes',
    ...(status === 206 && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
  });
  if (req.method === 'HEAD' || size === 0) {
    if (req.method !== 'HEAD') content.begun?.();
    res.writeHead(status, headers).end();
    return { status, code: null };
  }
  return await stream(surface, { ...exchange, headers }, content, { status, start, end }, stalledMs);
}

/** Nobody knows how long it is: neither conditions nor ranges are judged. */
async function sendWhole(
  surface: Manner,
  exchange: Exchange,
  content: Content,
  stalledMs: number,
): Promise<Sent> {
  const headers = {
    ...exchange.headers,
    'Cache-Control': 'no-store',
    ...content.headers,
    'Content-Type': content.type,
  };
  if (exchange.req.method === 'HEAD') {
    exchange.res.writeHead(200, headers).end();
    return { status: 200, code: null };
  }
  const all = { status: 200 as const, start: 0, end: Number.POSITIVE_INFINITY };
  return await stream(surface, { ...exchange, headers }, content, all, stalledMs);
}

async function stream(
  surface: Manner,
  { req, res, headers, ctx, requestId, route }: Exchange,
  content: Content,
  { status, start, end }: { status: number; start: number; end: number },
  stalledMs: number,
): Promise<Sent> {
  const chunks = content.read(start, end)[Symbol.asyncIterator]();
  let left = end - start + 1;
  try {
    let next = await chunks.next();
    if (isGone(req, res)) return { status, code: ABORTED };
    if (next.done && Number.isFinite(left)) throw new Error('the content has no bytes');
    if (start === 0) content.begun?.();
    res.writeHead(status, headers);
    const write = writerOf(req, res, stalledMs);
    for (; !next.done; next = await chunks.next()) {
      left -= next.value.length;
      if (left < 0) throw new Error(`the content has ${-left} bytes more than it said`);
      if (!(await write(next.value))) return { status, code: ABORTED };
    }
    if (left > 0 && Number.isFinite(left)) throw new Error(`the content has ${left} bytes less than it said`);
    res.end();
    return { status, code: null };
  } catch (cause) {
    if (!res.headersSent) throw cause;
    ctx.log.error({ err: cause, requestId, route }, 'a download broke off');
    res.destroy();
    return { status, code: surface.unexpected().code };
  } finally {
    await chunks.return?.();
  }
}

const isGone = (req: IncomingMessage, res: ServerResponse): boolean => res.destroyed || req.socket.destroyed;

/**
 * Hands chunks to the system, one at a time. What it is made of is made once for a download, not for every chunk.
 *
 * @param stalledMs after which a client that takes nothing of a chunk is gone; a source may take longer for the next one
 * @returns a function that resolves to whether the chunk was taken, and its buffer is free again; to false when the
 *   client is gone
 */
function writerOf(
  req: IncomingMessage,
  res: ServerResponse,
  stalledMs: number,
): (chunk: Uint8Array) => Promise<boolean> {
  let settle: (isTaken: boolean) => void = () => undefined;
  let isWriting = false;
  const onWritten = (error: Error | null | undefined): void => {
    isWriting = false;
    settle(!error);
  };
  // The time begins anew with every write, also when it has run out meanwhile.
  res.setTimeout(stalledMs, () => {
    if (isWriting) res.destroy();
  });
  // A response whose connection is gone drops what it is given, without calling back. One that waits for its turn
  // behind another on the same connection does not even close: its request does, as it also may after it was read.
  const onClose = (): void => {
    if (isGone(req, res)) settle(false);
  };
  res.once('close', onClose);
  req.once('close', onClose);
  return (chunk) =>
    new Promise((resolve) => {
      settle = resolve;
      if (isGone(req, res)) return resolve(false);
      isWriting = true;
      res.write(chunk, onWritten);
    });
}
