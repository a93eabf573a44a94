import { promisify } from 'node:util';
import { constants, crc32, deflateRawSync, gzip, gzipSync } from 'node:zlib';
import type { Encoding } from '../views/static-files.ts';
import type { Exchange } from './exchange.ts';

/** Smaller bodies fit into one packet as they are. */
const LEAST_BYTES = 1200;
/** Larger ones are compressed beside requests, not between them. */
const MOST_AT_ONCE = 64 * 1024;
/** For what is compressed for one answer: a third of the time of the best, and a tenth more bytes. */
const QUICK = 4;

const later = promisify(gzip);

/** What a browser takes, the smallest first; `q=0` refuses one. */
export function encodingsOf(header: string | string[] | undefined): Encoding[] {
  const taken = new Set<string>();
  for (const part of String(header ?? '')
    .toLowerCase()
    .split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (!parameters.some((one) => /^q=0(?:\.0*)?$/.test(one))) taken.add(name);
  }
  return (['br', 'gzip'] as const).filter((encoding) => taken.has(encoding));
}

const takesGzip = (header: string | string[] | undefined): boolean => encodingsOf(header).includes('gzip');

/** Whether a text is worth compressing for whoever asks. @param accepted what the request says that it takes */
export const isPackable = (text: string, accepted: string | string[] | undefined): boolean =>
  text.length >= LEAST_BYTES && takesGzip(accepted);

/** The part of an exchange that says what is sent. */
type Head = Pick<Exchange, 'req' | 'headers'>;

/**
 * The body of an answer that everybody gets, compressed for whoever takes that: nothing in it is a secret. Names in the
 * headers what became of it.
 */
export async function publicBody({ req, headers }: Head, text: string): Promise<string | Buffer> {
  if (text.length < LEAST_BYTES) return text;
  headers.Vary = headers.Vary === undefined ? 'Accept-Encoding' : `${headers.Vary}, Accept-Encoding`;
  if (!takesGzip(req.headers['accept-encoding'])) return text;
  headers['Content-Encoding'] = 'gzip';
  // Other bytes of the same meaning: the tag stays good for If-None-Match, and for nothing else.
  const { ETag } = headers;
  if (typeof ETag === 'string' && !ETag.startsWith('W/')) headers.ETag = `W/${ETag}`;
  return text.length > MOST_AT_ONCE ? later(text, { level: QUICK }) : gzipSync(text, { level: QUICK });
}

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty block that says that it is the last. */
const END = Buffer.from([3, 0]);

/**
 * A part of a body, compressed for itself and ending at a byte: others can stand before and behind it (RFC 1951).
 *
 * @param isOften it is sent many times, so that the smallest is worth its time
 */
export const packPart = (text: string, isOften: boolean): Buffer =>
  deflateRawSync(text, { level: isOften ? 9 : QUICK, finishFlush: constants.Z_SYNC_FLUSH });

/** The head of a block that is stored as it is. */
function storedHead(length: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(length, 1);
  head.writeUInt16LE(~length & 0xffff, 3);
  return head;
}

/**
 * One gzip of parts that were compressed before, and a short text between each two of them, which is stored as it is:
 * what differs with every answer costs no compression, and its size tells nothing about the text (decision 0074).
 *
 * @param between at most 65,535 bytes
 */
export function joinPacked(parts: readonly string[], packs: readonly Buffer[], between: string): Buffer {
  const secret = Buffer.from(between);
  const stored = [storedHead(secret.length), secret];
  const chunks: Buffer[] = [HEADER];
  let check = 0;
  let size = 0;
  for (const [at, part] of parts.entries()) {
    if (at > 0) {
      chunks.push(...stored);
      check = crc32(secret, check);
      size += secret.length;
    }
    chunks.push(packs[at] as Buffer);
    check = crc32(part, check);
    size += Buffer.byteLength(part);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(check, 0);
  trailer.writeUInt32LE(size >>> 0, 4);
  return Buffer.concat([...chunks, END, trailer]);
}
