import { scrypt } from 'node:crypto';
import * as ed25519 from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';
import { type AskPassphrase, demandPassphrase, wrongPassphrase } from './passphrase.ts';
import type { PrivateKey } from './private-key.ts';

const ED25519 = Buffer.from('Ed');
const SCRYPT = Buffer.from('Sc');
const NO_KDF = Buffer.alloc(2);
const BLAKE2B = Buffer.from('B2');
const PUBLIC_BYTES = 42;
const SECRET_BYTES = 158;
/** Algorithms, salt and costs come before the key: its number, the key pair and a checksum. */
const HEAD_BYTES = 54;
const BLOCK_SIZE = 8;
/** What minisign itself asks for. A foreign file must not ask for more. */
const MOST_MEMORY = 2n ** 30n;
const MOST_OPERATIONS = 2n ** 25n;

/** A minisign key id as minisign prints it: the eight bytes of the number in reverse, 16 upper-case hex characters. */
export const minisignNumber = (id: string): Buffer => Buffer.from(id, 'hex').reverse();

const idOfNumber = (number: Buffer): string => Buffer.from(number).reverse().toString('hex').toUpperCase();

/** The id that minisign shows of a key that it did not make: our own key id. */
export const ownMinisignId = (publicKey: Buffer): string => ed25519.keyIdOf(publicKey).toUpperCase();

/**
 * The text of a minisign or Tauri key file when the given text is one; Tauri stores the whole file in base64.
 *
 * @returns null for any other text
 */
export function minisignText(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('untrusted comment:')) return trimmed;
  if (!/^[A-Za-z0-9+/]{100,}={0,2}$/.test(trimmed)) return null;
  const inner = Buffer.from(trimmed, 'base64').toString('utf8').trim();
  return inner.startsWith('untrusted comment:') ? inner : null;
}

/** Whether a text is the secret key of minisign, encrypted or not. */
export const isMinisignSecret = (text: string): boolean =>
  bodyOf(minisignText(text) ?? '')?.length === SECRET_BYTES;

/** A public key in the form of minisign. */
export function minisignPublicKey(publicKey: Buffer, minisignId: string = ownMinisignId(publicKey)): string {
  const body = Buffer.concat([ED25519, minisignNumber(minisignId), publicKey]).toString('base64');
  return `untrusted comment: minisign public key ${minisignId}\n${body}\n`;
}

/**
 * Reads a public key in the form of minisign.
 *
 * @throws Ed25519Error when it is none, or a key that requirePublicKey refuses
 */
export function parseMinisignPublicKey(text: string): { publicKey: Buffer; minisignId: string } {
  const bytes = bodyOf(text);
  if (bytes?.length !== PUBLIC_BYTES) throw new ed25519.Ed25519Error('it is not a minisign public key');
  if (!bytes.subarray(0, 2).equals(ED25519)) throw new ed25519.Ed25519Error('the algorithm is not Ed25519');
  return {
    publicKey: ed25519.requirePublicKey(bytes.subarray(10)),
    minisignId: idOfNumber(bytes.subarray(2, 10)),
  };
}

/** The id that a public key in the form of minisign states; null for every other form. */
export function statedMinisignId(text: string): string | null {
  const bytes = bodyOf(minisignText(text) ?? '');
  return bytes?.length === PUBLIC_BYTES ? idOfNumber(bytes.subarray(2, 10)) : null;
}

/** A private key in the form of `minisign -G -W`: not encrypted. */
export function minisignSecretKey(seed: Buffer, minisignId: string | null): string {
  const { publicKey } = ed25519.signingKeyOf(seed);
  const head = Buffer.concat([ED25519, NO_KDF, BLAKE2B, Buffer.alloc(HEAD_BYTES - 6)]);
  const number = minisignNumber(minisignId ?? ownMinisignId(publicKey));
  const body = Buffer.concat([head, number, seed, publicKey, Buffer.alloc(32)]).toString('base64');
  return `untrusted comment: minisign unencrypted secret key\n${body}\n`;
}

/**
 * Opens a secret key of minisign or of Tauri. Opening an encrypted one takes 1 GiB of memory and seconds, by their
 * design: it is for importing the key once, not for signing.
 *
 * @param text as minisignText gives it
 * @param ask called only when the key is encrypted
 * @throws AppError INVALID_KEY when it is no such key, UNAUTHORIZED when the passphrase is missing or wrong
 */
export async function openMinisignSecret(text: string, ask: AskPassphrase): Promise<PrivateKey> {
  const bytes = bodyOf(text);
  const isKey =
    bytes?.length === SECRET_BYTES &&
    bytes.subarray(0, 2).equals(ED25519) &&
    bytes.subarray(4, 6).equals(BLAKE2B);
  if (!isKey) throw fail('INVALID_KEY', 'not a minisign secret key, or a damaged one');
  const kdf = bytes.subarray(2, 4);
  const encrypted = !kdf.equals(NO_KDF);
  if (encrypted && !kdf.equals(SCRYPT))
    throw fail('INVALID_KEY', 'the minisign key is encrypted in an unknown way');
  const sealed = bytes.subarray(HEAD_BYTES);
  if (!encrypted) return keyIn(sealed, false) ?? broken();
  const passphrase = await demandPassphrase(ask);
  const pad = await streamOf(passphrase.value, bytes);
  const opened = Buffer.from(sealed.map((byte, place) => byte ^ (pad[place] as number)));
  const key = keyIn(opened, true);
  if (key) return key;
  throw wrongPassphrase(passphrase);
}

/** The key, when its public half belongs to its private one: that proves the passphrase as well. */
function keyIn(opened: Buffer, encrypted: boolean): PrivateKey | null {
  const seed = Buffer.from(opened.subarray(8, 40));
  const { publicKey } = ed25519.signingKeyOf(seed);
  if (!publicKey.equals(opened.subarray(40, 72))) return null;
  const minisignId = idOfNumber(opened.subarray(0, 8));
  return { seed, encrypted, comment: null, createdAt: null, minisignId };
}

const broken = (): never => {
  throw fail('INVALID_KEY', 'the private key does not belong to the public key in its file');
};

/** The bytes that minisign adds to the key to hide it. */
function streamOf(passphrase: string, bytes: Buffer): Promise<Buffer> {
  const salt = bytes.subarray(6, 38);
  const cost = scryptCost(bytes.readBigUInt64LE(38), bytes.readBigUInt64LE(46));
  // Exactly what OpenSSL takes for it, which grows with the passes as well.
  const maxmem = 128 * BLOCK_SIZE * (cost.N + 2 + cost.p);
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, SECRET_BYTES - HEAD_BYTES, { ...cost, r: BLOCK_SIZE, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** How libsodium turns its two limits into the parameters of scrypt (crypto_pwhash_scryptsalsa208sha256). */
function scryptCost(operations: bigint, memory: bigint): { N: number; p: number } {
  if (operations > MOST_OPERATIONS || memory > MOST_MEMORY)
    throw fail('INVALID_KEY', 'the minisign key asks for more memory or time than minisign itself uses');
  const ops = Number(operations < 32_768n ? 32_768n : operations);
  const mem = Number(memory);
  if (ops < mem / 32) return { N: powerOfTwo(ops / (BLOCK_SIZE * 4)), p: 1 };
  const N = powerOfTwo(mem / (BLOCK_SIZE * 128));
  return { N, p: Math.max(1, Math.floor(Math.floor(ops / 4 / N) / BLOCK_SIZE)) };
}

/** The largest power of two that is not above a number, at least 2. */
function powerOfTwo(most: number): number {
  let power = 2;
  while (power * 2 <= most) power *= 2;
  return power;
}

function bodyOf(text: string): Buffer | null {
  const line = text.split(/\r?\n/)[1]?.trim() ?? '';
  const bytes = Buffer.from(line, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === line ? bytes : null;
}
