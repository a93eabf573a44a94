import * as z from 'zod/mini';
import * as ed25519 from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';
import {
  minisignPublicKey,
  minisignSecretKey,
  minisignText,
  parseMinisignPublicKey,
} from './minisign-key.ts';

/** Forms in which a public key is handed out (`keys export --public --format`). */
export const PUBLIC_KEY_FORMATS = ['pem', 'base64', 'hex', 'jwk', 'minisign'] as const;
export type PublicKeyFormat = (typeof PUBLIC_KEY_FORMATS)[number];

/**
 * A public key as text, ending with a line feed.
 *
 * @param publicKey 32 raw bytes
 * @param minisignId id that minisign gave to the key; null: our own key id
 */
export function formatPublicKey(
  publicKey: Buffer,
  format: PublicKeyFormat,
  minisignId: string | null = null,
): string {
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
      return minisignPublicKey(publicKey, minisignId ?? undefined);
  }
}

/**
 * A private key as text, ending with a line feed: PKCS#8 PEM, the seed in base64 or hex, a JWK, or as
 * `minisign -G -W` writes it.
 *
 * @param seed 32 raw bytes
 * @param minisignId id that minisign gave to the key; null: our own key id
 */
export function formatPrivateKey(
  seed: Buffer,
  format: PublicKeyFormat,
  minisignId: string | null = null,
): string {
  switch (format) {
    case 'pem':
      return ed25519.privateKeyToPem(seed);
    case 'base64':
      return `${seed.toString('base64')}\n`;
    case 'hex':
      return `${seed.toString('hex')}\n`;
    case 'jwk':
      return jwk(ed25519.signingKeyOf(seed).publicKey, { d: seed.toString('base64url') });
    case 'minisign':
      return minisignSecretKey(seed, minisignId);
  }
}

const jwk = (publicKey: Buffer, secret: { d?: string }): string => {
  const x = publicKey.toString('base64url');
  return `${JSON.stringify({ kty: 'OKP', crv: 'Ed25519', kid: ed25519.keyIdOf(publicKey), x, ...secret })}\n`;
};

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
    const reason = error instanceof ed25519.Ed25519Error ? error.message : 'the format is not recognized';
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
  const minisign = minisignText(text);
  if (minisign !== null) return [parseMinisignPublicKey(minisign).publicKey];
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
