import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign as nodeSign,
  verify as nodeVerify,
  randomBytes,
} from 'node:crypto';

export const SEED_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** DER headers of RFC 8410: they never vary, so a key's DER is the header and its 32 raw bytes. */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEADER = Buffer.from('302a300506032b6570032100', 'hex');
const FIELD_PRIME = 2n ** 255n - 19n;

/** The y coordinates of the eight points of small order; their sign bit does not matter. */
const SMALL_ORDER_Y = new Set([
  0n,
  1n,
  FIELD_PRIME - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/** A key, signature or encoding that is not what Ed25519 demands; the message never holds key material. */
export class Ed25519Error extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Ed25519Error';
  }
}

/** A private key ready to sign. */
export interface SigningKey {
  /** 32 raw bytes. */
  readonly publicKey: Buffer;
  readonly keyId: string;
  /** Pure Ed25519: 64 bytes, the same for the same message every time. */
  sign(message: Uint8Array): Buffer;
  /**
   * The same over a message that need not fit into memory.
   *
   * @param read gives the bytes of the message from their beginning; it is asked twice
   * @throws Ed25519Error when the two times gave different bytes
   */
  signLong(read: () => AsyncIterable<Uint8Array>): Promise<Buffer>;
}

/** A new private key: the 32-byte seed of RFC 8032. */
export const generateSeed = (): Buffer => randomBytes(SEED_BYTES);

/**
 * Makes a seed ready to sign.
 *
 * @param seed 32 raw bytes (RFC 8032)
 * @throws Ed25519Error when the seed has another length
 */
export function signingKeyOf(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({ key: privateKeyToDer(seed), format: 'der', type: 'pkcs8' });
  const publicKey = Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url');
  const own = Buffer.from(seed);
  return {
    publicKey,
    keyId: keyIdOf(publicKey),
    sign: (message) => nodeSign(null, message, key),
    signLong: async (read) => {
      const { signLong } = await import('./ed25519-long.ts');
      const signature = await signLong(own, read);
      if (signature === null) throw new Ed25519Error('the message changed while it was signed');
      return signature;
    },
  };
}

/**
 * Whether a signature is good. Answers as `@noble/ed25519` with `zip215: false` does: keys of small order and
 * encodings that are not canonical are refused, which many verifiers let pass (reliability M31).
 *
 * @param publicKey 32 raw bytes
 * @param message the exact bytes that were signed
 * @param signature 64 raw bytes
 * @returns false for every wrong length, key or signature; never throws for them
 */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || publicKeyFault(publicKey) !== null) return false;
  const key = createPublicKey({ key: publicKeyToDer(publicKey), format: 'der', type: 'spki' });
  return nodeVerify(null, message, key, signature);
}

/**
 * Checks a public key that came from outside.
 *
 * @param publicKey raw bytes
 * @returns the same bytes
 * @throws Ed25519Error for a wrong length, an encoding that is not canonical, or a point of small order (M31)
 */
export function requirePublicKey(publicKey: Uint8Array): Buffer {
  const fault = publicKeyFault(publicKey);
  if (fault !== null) throw new Ed25519Error(fault);
  return Buffer.from(publicKey);
}

function publicKeyFault(publicKey: Uint8Array): string | null {
  if (publicKey.length !== PUBLIC_KEY_BYTES) return 'a public key must have 32 bytes';
  const bigEndian = Buffer.from(publicKey).reverse();
  bigEndian[0] = (bigEndian[0] as number) & 0x7f;
  const y = BigInt(`0x${bigEndian.toString('hex')}`);
  if (y >= FIELD_PRIME) return 'the public key is not in canonical form';
  return SMALL_ORDER_Y.has(y)
    ? 'the public key is a point of small order: it would accept forged signatures'
    : null;
}

/** First 16 hex characters of the SHA-256 over the 32 raw bytes (licensing D98). */
export const keyIdOf = (publicKey: Uint8Array): string => fingerprintOf(publicKey).slice(0, 16);

/** SHA-256 over the 32 raw bytes, 64 hex characters; it starts with the key id. */
export const fingerprintOf = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex');

/** PKCS#8 DER of a 32-byte seed, 48 bytes. Throws Ed25519Error for another length. */
export function privateKeyToDer(seed: Uint8Array): Buffer {
  if (seed.length !== SEED_BYTES) throw new Ed25519Error('a private key must have 32 bytes');
  return Buffer.concat([PKCS8_HEADER, seed]);
}

/** SPKI DER of a 32-byte public key, 44 bytes. Throws Ed25519Error for another length. */
export function publicKeyToDer(publicKey: Uint8Array): Buffer {
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new Ed25519Error('a public key must have 32 bytes');
  return Buffer.concat([SPKI_HEADER, publicKey]);
}

/** PKCS#8 PEM of a 32-byte seed, as OpenSSL writes it. */
export const privateKeyToPem = (seed: Uint8Array): string => pem('PRIVATE KEY', privateKeyToDer(seed));

/** SPKI PEM of a public key: 113 characters, whose body line is the base64 DER (licensing D95). */
export const publicKeyToPem = (publicKey: Uint8Array): string => pem('PUBLIC KEY', publicKeyToDer(publicKey));

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;

/**
 * The seed of a PKCS#8 PEM, encrypted or not.
 *
 * @param text one `PRIVATE KEY` or `ENCRYPTED PRIVATE KEY` block
 * @param passphrase needed for an encrypted block; the empty one is a passphrase too
 * @returns 32 raw bytes
 * @throws Ed25519Error when it is no Ed25519 key or the passphrase does not open it
 */
export function privateKeyFromPem(text: string, passphrase?: string): Buffer {
  try {
    const key = createPrivateKey({
      key: text,
      format: 'pem',
      ...(passphrase === undefined ? {} : { passphrase }),
    });
    if (key.asymmetricKeyType === 'ed25519') {
      return decodeBase64url(String(key.export({ format: 'jwk' }).d), SEED_BYTES);
    }
  } catch {
    // What OpenSSL says about the bytes of a private key is no help and must not reach a log.
    throw new Ed25519Error('the PEM text contains no readable private key');
  }
  throw new Ed25519Error('the PEM text contains a private key that is not Ed25519');
}

/**
 * The public key of an SPKI PEM.
 *
 * @param text exactly one `PUBLIC KEY` block; text around it is ignored, as in every PEM reader
 * @returns 32 raw bytes
 * @throws Ed25519Error when it is malformed, not Ed25519, or a key that requirePublicKey refuses
 */
export function publicKeyFromPem(text: string): Buffer {
  const blocks = [...text.matchAll(/-----BEGIN PUBLIC KEY-----([^-]*)-----END PUBLIC KEY-----/g)];
  const body = blocks.length === 1 ? blocks[0]?.[1]?.replace(/\s/g, '') : undefined;
  if (body === undefined) throw new Ed25519Error('the text does not contain exactly one PUBLIC KEY block');
  return publicKeyFromDer(decodeBase64(body, SPKI_HEADER.length + PUBLIC_KEY_BYTES));
}

/** The public key of an SPKI DER (44 bytes). Throws Ed25519Error like publicKeyFromPem. */
export function publicKeyFromDer(der: Uint8Array): Buffer {
  const header = Buffer.from(der).subarray(0, SPKI_HEADER.length);
  if (der.length !== SPKI_HEADER.length + PUBLIC_KEY_BYTES || !header.equals(SPKI_HEADER)) {
    throw new Ed25519Error('the key is not an Ed25519 public key');
  }
  return requirePublicKey(der.subarray(SPKI_HEADER.length));
}

/**
 * Decodes padded base64 strictly: the right alphabet, the right padding, the right length, no spare bits.
 *
 * @param length number of bytes that must come out
 * @throws Ed25519Error otherwise
 */
export const decodeBase64 = (text: string, length: number): Buffer => decode(text, 'base64', length);

/** Decodes unpadded base64url as strictly as decodeBase64. */
export const decodeBase64url = (text: string, length: number): Buffer => decode(text, 'base64url', length);

/** Decodes hexadecimal text of either case into exactly `length` bytes. Throws Ed25519Error otherwise. */
export const decodeHex = (text: string, length: number): Buffer => decode(text.toLowerCase(), 'hex', length);

/** Node decodes leniently and stops at the first odd character; encoding again shows whether nothing was lost. */
function decode(text: string, encoding: 'base64' | 'base64url' | 'hex', length: number): Buffer {
  const bytes = Buffer.from(text, encoding);
  if (bytes.length !== length || bytes.toString(encoding) !== text) {
    throw new Ed25519Error(`expected ${length} bytes in ${encoding}`);
  }
  return bytes;
}
