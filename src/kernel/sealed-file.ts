/**
 * A file under a passphrase, written and read in constant memory:
 *
 *   line 1   JSON: {"kind":"appctl-sealed","v":1,"kdf":{"name":"argon2id",…,"salt"},"cipher":"aes-256-gcm","chunkBytes":65536}
 *   line 2   base64 HMAC-SHA256 of line 1 under the check key, a blank, base64 SHA-256 of everything before the blank
 *   then     chunks: AES-256-GCM ciphertext of 65,536 bytes (the last chunk: 0 to 65,536) and its 16-byte tag
 *
 * root = argon2id(passphrase, salt), 32 bytes; check and data key = HKDF-SHA256(root, "appctl-sealed/check" or "/data").
 * The nonce of a chunk is its number from 0 in 11 bytes, then 1 for the last chunk, 0 for any other: chunks that are
 * missing, repeated, reordered or altered do not open, and neither does a file that ends early. The digest in line 2
 * tells a damaged beginning from a wrong passphrase.
 */

import {
  argon2,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { z } from 'zod';
import { equalSecrets } from './crypto.ts';
import { later } from './sharing.ts';

/** Why a sealed file does not open. */
export class SealedFileFault extends Error {
  readonly reason: 'WRONG_PASSPHRASE' | 'DAMAGED';

  constructor(reason: SealedFileFault['reason'], message: string) {
    super(message);
    this.name = 'SealedFileFault';
    this.reason = reason;
  }
}

const KIND = 'appctl-sealed';
const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;
const LONGEST_HEADER = 2000;
/** 64 MiB and three passes: what RFC 9106 recommends where memory is limited. */
const KDF_COST = { memoryKib: 65_536, passes: 3, parallelism: 1 };

const within = (min: number, max: number) => z.int().min(min).max(max);
/** The bounds keep a foreign file from asking for hours or for all memory. */
const Header = later(() =>
  z.strictObject({
    kind: z.literal(KIND),
    v: z.literal(1),
    kdf: z.strictObject({
      name: z.literal('argon2id'),
      memoryKib: within(8192, 262_144),
      passes: within(1, 16),
      parallelism: within(1, 8),
      salt: z.base64().length(24),
    }),
    cipher: z.literal('aes-256-gcm'),
    chunkBytes: z.literal(CHUNK_BYTES),
  }),
);
type Kdf = z.output<typeof Header>['kdf'];

/** Whether a file begins as a sealed one does. @param head its first 64 bytes or more */
export const isSealed = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, 64)).toString('latin1').startsWith(`{"kind":"${KIND}"`);

/** Seals texts as they come. The empty text is a passphrase too. */
export async function* seal(texts: AsyncIterable<string>, passphrase: string): AsyncGenerator<Uint8Array> {
  const kdf: Kdf = { name: 'argon2id', ...KDF_COST, salt: randomBytes(16).toString('base64') };
  const header = JSON.stringify({ kind: KIND, v: 1, kdf, cipher: 'aes-256-gcm', chunkBytes: CHUNK_BYTES });
  const keys = await deriveKeys(passphrase, kdf);
  const checked = `${header}\n${checkOf(keys.check, header)}`;
  yield Buffer.from(`${checked} ${digestOf(checked)}\n`);
  yield* sealChunks(texts, keys.data);
}

/** Seals texts or bytes in the chunks of a sealed file, without its beginning. @param key 32 bytes, of this file alone */
export async function* sealChunks(
  parts: AsyncIterable<string | Uint8Array>,
  key: Buffer,
): AsyncGenerator<Uint8Array> {
  let chunk = 0;
  const pending = new Pending();
  for await (const part of parts) {
    pending.add(Buffer.from(part));
    while (pending.bytes > CHUNK_BYTES) {
      yield sealChunk(key, pending.take(CHUNK_BYTES), chunk, false);
      chunk += 1;
    }
  }
  yield sealChunk(key, pending.take(pending.bytes), chunk, true);
}

/** How many bytes are sealed in chunks. @param size bytes of all chunks */
export const openedSize = (size: number): number =>
  size - TAG_BYTES * Math.ceil(size / (CHUNK_BYTES + TAG_BYTES));

/**
 * Opens a sealed file; bytes are given out only after they were found genuine.
 *
 * @throws SealedFileFault WRONG_PASSPHRASE; DAMAGED, possibly after good bytes were given out
 */
export async function* open(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Uint8Array> {
  yield* openWith(chunks, (pending) => openHeader(pending, passphrase));
}

/** Opens what `sealChunks` wrote. @throws SealedFileFault DAMAGED, possibly after good bytes were given out */
export const openChunks = (chunks: AsyncIterable<Uint8Array>, key: Buffer): AsyncGenerator<Uint8Array> =>
  openWith(chunks, async () => key);

async function* openWith(
  chunks: AsyncIterable<Uint8Array>,
  findKey: (pending: Pending) => Promise<Buffer | null>,
): AsyncGenerator<Uint8Array> {
  const pending = new Pending();
  let key: Buffer | null = null;
  let chunk = 0;
  for await (const bytes of chunks) {
    pending.add(bytes);
    key ??= await findKey(pending);
    // A chunk is known not to be the last one as soon as a byte follows it.
    while (key !== null && pending.bytes > CHUNK_BYTES + TAG_BYTES) {
      yield openChunk(key, pending.take(CHUNK_BYTES + TAG_BYTES), chunk, false);
      chunk += 1;
    }
  }
  if (key === null || pending.bytes < TAG_BYTES) throw damaged('ends too early');
  yield openChunk(key, pending.take(pending.bytes), chunk, true);
}

/** The data key, or null while the header is not whole. */
async function openHeader(pending: Pending, passphrase: string): Promise<Buffer | null> {
  const text = pending.look(LONGEST_HEADER).toString('latin1');
  const [header, check = '', rest] = text.split('\n', 3);
  if (rest === undefined) {
    if (pending.bytes < LONGEST_HEADER) return null;
    throw damaged('has no readable beginning');
  }
  const [mac = '', digest] = check.split(' ');
  const kdf = digest === digestOf(`${header}\n${mac}`) ? readKdf(header ?? '') : null;
  if (kdf === null) throw damaged('has an altered beginning');
  pending.take(`${header}\n${check}\n`.length);
  const keys = await deriveKeys(passphrase, kdf);
  if (equalSecrets(checkOf(keys.check, header ?? ''), mac)) return keys.data;
  throw new SealedFileFault('WRONG_PASSPHRASE', 'the passphrase does not open the file');
}

function readKdf(header: string): Kdf | null {
  try {
    return Header.parse(JSON.parse(header)).kdf;
  } catch {
    return null;
  }
}

async function deriveKeys(passphrase: string, kdf: Kdf): Promise<{ check: Buffer; data: Buffer }> {
  const { memoryKib: memory, passes, parallelism } = kdf;
  const nonce = Buffer.from(kdf.salt, 'base64');
  const root = await new Promise<Buffer>((resolve, reject) => {
    const asked = { message: passphrase, nonce, parallelism, tagLength: 32, memory, passes };
    argon2('argon2id', asked, (error, key) => (error ? reject(error) : resolve(key)));
  });
  const derive = (use: string) =>
    Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), `${KIND}/${use}`, 32));
  return { check: derive('check'), data: derive('data') };
}

const checkOf = (key: Buffer, header: string): string =>
  createHmac('sha256', key).update(header).digest('base64');
const digestOf = (text: string): string => createHash('sha256').update(text, 'latin1').digest('base64');

function nonceOf(chunk: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(chunk, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function sealChunk(key: Buffer, plain: Buffer, chunk: number, isLast: boolean): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(chunk, isLast));
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function openChunk(key: Buffer, sealed: Buffer, chunk: number, isLast: boolean): Buffer {
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(chunk, isLast), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
  } catch {
    throw damaged(
      isLast ? 'is altered or cut off at the end' : `is altered near byte ${chunk * CHUNK_BYTES}`,
    );
  }
}

const damaged = (how: string): SealedFileFault => new SealedFileFault('DAMAGED', `the sealed file ${how}`);

/** Bytes that wait to become a chunk. */
class Pending {
  bytes = 0;
  #parts: Uint8Array[] = [];

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.bytes += part.length;
  }

  /** The first bytes, at most so many, which stay. */
  look(most: number): Buffer {
    return this.#joined().subarray(0, most);
  }

  /** Takes so many bytes away from the front. */
  take(count: number): Buffer {
    const all = this.#joined();
    this.#parts = [all.subarray(count)];
    this.bytes -= count;
    return all.subarray(0, count);
  }

  #joined(): Buffer {
    const [first] = this.#parts;
    const isWhole = this.#parts.length === 1 && Buffer.isBuffer(first);
    const all = isWhole ? first : Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }
}
