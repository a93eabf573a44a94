import { type Bytes, fromBase64, hex, sha256 } from './bytes.ts';
import type { Verify } from './option-types.ts';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** DER header of an Ed25519 public key (RFC 8410); it never varies. */
const SPKI_HEADER = '302a300506032b6570032100';
const FIELD_PRIME = 2n ** 255n - 19n;

/** The y coordinates of the eight points of small order: a key there would accept forged signatures. */
const SMALL_ORDER_Y = new Set([
  0n,
  1n,
  FIELD_PRIME - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/** WebCrypto has no Ed25519 here, so nothing can be verified without the option `verify`. */
export class NoEd25519Error extends Error {
  constructor(cause: unknown) {
    super('this platform has no Ed25519: pass the option `verify`', { cause });
    this.name = 'NoEd25519Error';
  }
}

/**
 * Verifies with WebCrypto.
 *
 * @throws NoEd25519Error where the platform has none
 */
export const webCryptoVerify: Verify = async (publicKey, message, signature) => {
  const algorithm = { name: 'Ed25519' };
  try {
    const raw = new Uint8Array(publicKey);
    const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
    return await crypto.subtle.verify(algorithm, key, new Uint8Array(signature), new Uint8Array(message));
  } catch (error) {
    // Bytes that are no point of the curve are a DataError; every other failure means that the algorithm is missing.
    if ((error as Error).name === 'DataError') return false;
    throw new NoEd25519Error(error);
  }
};

/**
 * Whether a signature is good; keys of small order and of a form that is not canonical never are.
 *
 * @param publicKey 32 raw bytes
 * @param message the exact bytes that were signed
 * @param signature 64 raw bytes
 * @throws NoEd25519Error
 */
export async function isSigned(
  verify: Verify,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array | null,
): Promise<boolean> {
  if (signature?.length !== SIGNATURE_BYTES || !isSoundKey(publicKey)) return false;
  return verify(publicKey, message, signature);
}

function isSoundKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== KEY_BYTES) return false;
  const bigEndian = Uint8Array.from(publicKey).reverse();
  bigEndian[0] = (bigEndian[0] as number) & 0x7f;
  const y = BigInt(`0x${hex(bigEndian)}`);
  return y < FIELD_PRIME && !SMALL_ORDER_Y.has(y);
}

/** First 16 hex characters of the SHA-256 over the 32 raw bytes (D98). */
export const keyIdOf = async (publicKey: Uint8Array): Promise<string> =>
  hex(await sha256(publicKey)).slice(0, 16);

/** The root keys that the application embeds. */
export interface RootKeys {
  readonly size: number;
  /** 32 raw bytes; null when the id is of none of them. */
  find(keyId: string): Promise<Bytes | null>;
  all(): readonly Bytes[];
  /** Their key ids. */
  ids(): Promise<readonly string[]>;
}

/**
 * Reads root keys.
 *
 * @param texts PEM (SPKI), base64 DER or base64 raw
 * @throws TypeError for a text that is no Ed25519 public key
 */
export function readRootKeys(texts: readonly string[]): RootKeys {
  const keys = texts.map(readPublicKey);
  let known: Promise<Map<string, Bytes>> | null = null;
  const index = async () =>
    new Map(await Promise.all(keys.map(async (key) => [await keyIdOf(key), key] as const)));
  const byId = (): Promise<Map<string, Bytes>> => (known ??= index());
  return {
    size: keys.length,
    find: async (keyId) => (await byId()).get(keyId) ?? null,
    all: () => keys,
    ids: async () => [...(await byId()).keys()],
  };
}

function readPublicKey(text: string): Bytes {
  const pem = /-----BEGIN PUBLIC KEY-----([^-]*)-----END PUBLIC KEY-----/.exec(text);
  const bytes = fromBase64((pem?.[1] ?? text).replace(/\s/g, ''));
  const key = bytes === null ? null : rawKeyOf(bytes);
  if (key === null || !isSoundKey(key)) {
    throw new TypeError('a root key must be an Ed25519 public key: PEM, base64 DER or base64 raw');
  }
  return key;
}

function rawKeyOf(bytes: Bytes): Bytes | null {
  if (bytes.length === KEY_BYTES) return bytes;
  const body = bytes.slice(SPKI_HEADER.length / 2);
  return hex(bytes).startsWith(SPKI_HEADER) && body.length === KEY_BYTES ? body : null;
}

/** Base64 of 64 bytes, padded. @returns null for anything else */
export function signatureFromBase64(text: string): Bytes | null {
  const bytes = fromBase64(text);
  return bytes?.length === SIGNATURE_BYTES ? bytes : null;
}
