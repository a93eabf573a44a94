import * as z from 'zod/mini';
import * as ed25519 from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';

/** Forms in which a public key is handed out (`keys export --public --format`). */
export const PUBLIC_KEY_FORMATS = ['pem', 'base64', 'hex', 'jwk', 'minisign'] as const;
export type PublicKeyFormat = (typeof PUBLIC_KEY_FORMATS)[number];

const MINISIGN_ALGORITHM = Buffer.from('Ed');

/**
 * A public key as text, ending with a line feed.
 *
 * @param publicKey 32 raw bytes
 */
export function formatPublicKey(publicKey: Buffer, format: PublicKeyFormat): string {
  switch (format) {
    case 'pem':
      return ed25519.publicKeyToPem(publicKey);
    case 'base64':
      return `${publicKey.toString('base64')}\n`;
    case 'hex':
      return `${publicKey.toString('hex')}\n`;
    case 'jwk':
      return jwk(publicKey, {});
    case 'minisign':
      return minisignPublicKey(publicKey);
  }
}

/**
 * A private key as text, ending with a line feed: PKCS#8 PEM, the seed in base64 or hex, or a JWK.
 *
 * @param seed 32 raw bytes
 */
export function formatPrivateKey(seed: Buffer, format: Exclude<PublicKeyFormat, 'minisign'>): string {
  switch (format) {
    case 'pem':
      return ed25519.privateKeyToPem(seed);
    case 'base64':
      return `${seed.toString('base64')}\n`;
    case 'hex':
      return `${seed.toString('hex')}\n`;
    case 'jwk':
      return jwk(ed25519.signingKeyOf(seed).publicKey, { d: seed.toString('base64url') });
  }
}

const jwk = (publicKey: Buffer, secret: { d?: string }): string => {
  const x = publicKey.toString('base64url');
  return `${JSON.stringify({ kty: 'OKP', crv: 'Ed25519', kid: ed25519.keyIdOf(publicKey), x, ...secret })}\n`;
};

/** Minisign prints its eight-byte key number in reverse; reversing it here makes it print our key id. */
function minisignPublicKey(publicKey: Buffer): string {
  const keyId = ed25519.keyIdOf(publicKey);
  const number = Buffer.from(keyId, 'hex').reverse();
  const body = Buffer.concat([MINISIGN_ALGORITHM, number, publicKey]).toString('base64');
  return `untrusted comment: minisign public key ${keyId.toUpperCase()}\n${body}\n`;
}

const Jwk = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() });
const PublicKeyReply = z.object({
  public_key: z.string(),
  keys: z.optional(z.array(z.object({ public_key_raw: z.string() }))),
});

/**
 * Reads public keys from text: PEM, base64 (raw or DER), hex, JWK, a minisign public key, or the JSON reply of
 * `/api/v1/updates/public-key`, which may hold several keys (licensing D95, D98).
 *
 * @returns one or more keys of 32 raw bytes, the primary one first
 * @throws AppError INVALID_KEY when it is none of these, or a key that no verifier may accept (M31)
 */
export function parsePublicKeys(text: string): [Buffer, ...Buffer[]] {
  try {
    return parse(text.trim());
  } catch (error) {
    const reason = error instanceof ed25519.Ed25519Error ? error.message : 'the text is not understood';
    throw fail('INVALID_KEY', `not a public key: ${reason}`);
  }
}

/** The key that a text holds when it is 44 characters of base64 and nothing else; null otherwise. */
export function inlinePublicKey(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? parsePublicKeys(text)[0] : null;
}

function parse(text: string): [Buffer, ...Buffer[]] {
  if (text.startsWith('{')) return parseJson(JSON.parse(text));
  if (text.includes('-----BEGIN')) return [ed25519.publicKeyFromPem(text)];
  if (text.startsWith('untrusted comment:')) return [minisignKey(text)];
  if (/^[0-9a-f]{64}$/i.test(text)) {
    return [ed25519.requirePublicKey(ed25519.decodeHex(text, ed25519.PUBLIC_KEY_BYTES))];
  }
  if (text.length === 60) return [ed25519.publicKeyFromDer(ed25519.decodeBase64(text, 44))];
  return [ed25519.requirePublicKey(ed25519.decodeBase64(text, ed25519.PUBLIC_KEY_BYTES))];
}

function parseJson(value: unknown): [Buffer, ...Buffer[]] {
  const jwk = Jwk.safeParse(value);
  if (jwk.success) {
    return [ed25519.requirePublicKey(ed25519.decodeBase64url(jwk.data.x, ed25519.PUBLIC_KEY_BYTES))];
  }
  const reply = PublicKeyReply.parse(value);
  const others = (reply.keys ?? []).flatMap((key) => parse(key.public_key_raw));
  return [...parse(reply.public_key.trim()), ...others];
}

function minisignKey(text: string): Buffer {
  const bytes = ed25519.decodeBase64(text.split(/\r?\n/)[1] ?? '', 42);
  if (!bytes.subarray(0, 2).equals(MINISIGN_ALGORITHM))
    throw new ed25519.Ed25519Error('the algorithm is not Ed25519');
  return ed25519.requirePublicKey(bytes.subarray(10));
}
