import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';

/** A body that is no acceptable JSON: the surface answers it with its own error. */
export class UnreadableBody extends Error {
  readonly status: 400 | 413;

  constructor(message: string, status: 400 | 413 = 400) {
    super(message);
    this.status = status;
  }
}

export type BodyReader = (req: Request, res: Response) => Promise<unknown>;

const MAX_DEPTH = 32;
const DEADLINE_MS = 30_000;

/**
 * Reads JSON bodies of at most `limitBytes` after inflating.
 *
 * @returns a reader that resolves to an object, or rejects with UnreadableBody for everything in D4: another content
 *   type, charset or encoding, malformed JSON, no object, invalid UTF-8, U+0000, lone surrogates, nesting over 32
 */
export function jsonBody(limitBytes: number): BodyReader {
  const raw = express.raw({ limit: limitBytes, type: () => true });
  return async (req, res) => {
    requireJson(req.headers['content-type']);
    await readRaw(raw, req, res);
    return parseJson(req.body);
  };
}

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

function readRaw(raw: ReturnType<typeof express.raw>, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    // A body that trickles in would hold its connection for ever: the server's own request time-out is off (M17).
    const timer = setTimeout(() => req.destroy(), DEADLINE_MS);
    raw(req, res, (error?: unknown) => {
      clearTimeout(timer);
      if (error) reject(unreadable(error as { type?: string; message?: string }));
      else resolve();
    });
  });
}

function unreadable({ type, message }: { type?: string; message?: string }): UnreadableBody {
  if (type === 'entity.too.large') return new UnreadableBody('the body is too large', 413);
  if (type === 'encoding.unsupported') return new UnreadableBody('Content-Encoding is not supported');
  return new UnreadableBody(`the body cannot be read: ${message ?? 'unknown cause'}`);
}

function parseJson(raw: unknown): Record<string, unknown> {
  if (!Buffer.isBuffer(raw) || raw.length === 0) throw new UnreadableBody('a JSON body is required');
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
