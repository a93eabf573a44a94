import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type Response } from 'express';

/** A body that is no acceptable JSON: the surface answers it with its own error. */
export class UnreadableBody extends Error {
  readonly status: 400 | 413;

  constructor(message: string, status: 400 | 413 = 400) {
    super(message);
    this.status = status;
  }
}

export type BodyReader = (req: IncomingMessage, res: ServerResponse) => Promise<unknown>;

export const MAX_DEPTH = 32;
const DEADLINE_MS = 30_000;

/**
 * Reads JSON bodies of at most `limitBytes` after inflating.
 *
 * @param mayBeAbsent a request without a body counts as one with `{}`
 * @returns a reader that resolves to an object, or rejects with UnreadableBody for everything in D4: another content
 *   type, charset or encoding, malformed JSON, no object, invalid UTF-8, U+0000, lone surrogates, nesting over 32
 */
export function jsonBody(limitBytes: number, mayBeAbsent: () => boolean = () => false): BodyReader {
  const raw = express.raw({ limit: limitBytes, type: () => true });
  return async (req, res) => {
    if (isAbsent(req) && mayBeAbsent()) return {};
    requireJson(req.headers['content-type']);
    if (Number(req.headers['content-length']) > limitBytes)
      throw new UnreadableBody('the body is too large', 413);
    const isPlain = req.headers['content-encoding'] === undefined;
    return parseJson(await withDeadline(req, isPlain ? readPlain(req, limitBytes) : inflate(raw, req, res)));
  };
}

/** RFC 9110: a body is announced by its length or by its transfer coding. */
const isAbsent = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';

function requireJson(contentType: string | undefined): void {
  if (contentType === 'application/json') return;
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (type !== 'application/json') throw new UnreadableBody('Content-Type must be application/json');
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw new UnreadableBody('the body must be UTF-8');
  }
}

/** A body as it came. Only a compressed one needs the library: its part of the way costs a tenth of a validate. */
export function readPlain(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Whoever has gone while the request waited is heard of no more.
    if (req.destroyed) throw new UnreadableBody('the body ended early');
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // What is too much is read on and thrown away, so that the answer reaches the client.
      if (size <= limitBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    req.once('error', () => reject(new UnreadableBody('the body ended early')));
    req.once('end', () => {
      if (size > limitBytes) reject(new UnreadableBody('the body is too large', 413));
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
  });
}

function inflate(
  raw: ReturnType<typeof express.raw>,
  req: IncomingMessage & { body?: unknown },
  res: ServerResponse,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    raw(req as Request, res as Response, (error?: unknown) => {
      if (error) reject(unreadable(error as { type?: string; message?: string }));
      else resolve(Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0));
    });
  });
}

/**
 * Waits for a body. One that trickles in would hold its connection for ever: the server's own request time-out is off
 * (M17). Its sender is told; what still comes is for `dropRest`.
 */
export function withDeadline(req: IncomingMessage, reading: Promise<Buffer>): Promise<Buffer> {
  if (req.complete) return reading;
  return new Promise((resolve, reject) => {
    // The error is made when it is needed: its stack alone would cost more than the rest of this.
    const timer = setTimeout(
      () => reject(new UnreadableBody(`the body did not arrive within ${DEADLINE_MS / 1000} seconds`)),
      DEADLINE_MS,
    );
    reading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function unreadable({ type, message }: { type?: string; message?: string }): UnreadableBody {
  if (type === 'entity.too.large') return new UnreadableBody('the body is too large', 413);
  if (type === 'encoding.unsupported') return new UnreadableBody('Content-Encoding is not supported');
  return new UnreadableBody(`the body cannot be read: ${message ?? 'unknown cause'}`);
}

function parseJson(raw: Buffer): Record<string, unknown> {
  if (raw.length === 0) throw new UnreadableBody('a JSON body is required');
  if (!isUtf8(raw)) throw new UnreadableBody('the body is not valid UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(raw.toString('utf8'));
  } catch {
    throw new UnreadableBody('the body is not valid JSON');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new UnreadableBody('the body must be a JSON object');
  }
  checkContent(value as Record<string, unknown>);
  return value as Record<string, unknown>;
}

/** Walks without recursion: zod and JSON.stringify recurse, so depth must be known before they see the value. */
function checkContent(root: object): void {
  const waiting: { node: object; depth: number }[] = [{ node: root, depth: 1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, depth } = next;
    if (depth > MAX_DEPTH) throw new UnreadableBody(`the body is nested deeper than ${MAX_DEPTH} levels`);
    for (const [name, child] of Object.entries(node)) {
      checkText(name);
      if (typeof child === 'string') checkText(child);
      else if (child !== null && typeof child === 'object') waiting.push({ node: child, depth: depth + 1 });
    }
  }
}

function checkText(text: string): void {
  if (text.includes('\u0000')) throw new UnreadableBody('strings must not contain U+0000');
  if (!text.isWellFormed()) throw new UnreadableBody('strings must not contain lone surrogates');
}
