// What release engineers sign offline (licensing.md 6.1, 6.3): anybody with the root keys can verify it.
import { fromHex, utf8 } from './bytes.ts';
import { payloadOf } from './delegation.ts';
import {
  isSigned,
  keyIdOf,
  type RootKeys,
  readRootKeys,
  signatureFromBase64,
  webCryptoVerify,
} from './ed25519.ts';
import { ClientError } from './errors.ts';
import type { Json } from './json.ts';
import type { Verify } from './option-types.ts';
import type { JsonObject } from './shape.ts';

/** Who may sign releases, and what verifies it. */
export interface ReleaseTrust {
  roots: RootKeys;
  verify: Verify;
}

/**
 * Whether a bundle is signed by a root key: the signature covers the 32 bytes of its SHA-256 (D96).
 *
 * @param sha256Hex 64 hex characters of either case
 * @param signatureBase64 88 characters
 * @param rootKeys PEM, base64 DER or base64 raw; any of them may have signed
 * @param verify where WebCrypto has no Ed25519
 * @returns false for everything malformed too
 * @throws TypeError for a root key that is none, NoEd25519Error
 */
export const verifyBundle = async (
  sha256Hex: string,
  signatureBase64: string,
  rootKeys: string[],
  verify: Verify = webCryptoVerify,
): Promise<boolean> => isBundleSigned({ roots: readRootKeys(rootKeys), verify }, sha256Hex, signatureBase64);

/** As verifyBundle, with keys that were read already. */
export async function isBundleSigned(
  trust: ReleaseTrust,
  sha256Hex: string,
  signatureBase64: string,
): Promise<boolean> {
  const digest = fromHex(sha256Hex, 32);
  return digest !== null && (await signerOf(trust, digest, signatureBase64)) !== null;
}

/**
 * Reads a release statement after checking its signature over the received text (6.3). Whether it fits the offer,
 * the bundle and the time is left to the caller.
 *
 * @param statement `release/<P>`
 * @param signatureBase64 88 characters
 * @returns the payload
 * @throws ClientError STATEMENT_INVALID when no root key has signed it, or its form or key id is wrong; TypeError
 *   for a root key that is none, NoEd25519Error
 */
export const verifyStatement = async (
  statement: string,
  signatureBase64: string,
  rootKeys: string[],
  verify: Verify = webCryptoVerify,
): Promise<Json> => openStatement({ roots: readRootKeys(rootKeys), verify }, statement, signatureBase64);

/** As verifyStatement, with keys that were read already. */
export async function openStatement(
  trust: ReleaseTrust,
  statement: string,
  signatureBase64: string,
): Promise<JsonObject> {
  const text = /^release\/([\w-]+)$/.exec(statement)?.[1];
  const signer = text === undefined ? null : await signerOf(trust, utf8(statement), signatureBase64);
  const payload = text === undefined || signer === null ? null : payloadOf(text);
  if (payload?.v !== 1 || signer === null || payload.kid !== (await keyIdOf(signer))) {
    throw new ClientError('STATEMENT_INVALID', 'the release statement is not signed by a known key');
  }
  return payload;
}

async function signerOf(
  { roots, verify }: ReleaseTrust,
  message: Uint8Array,
  signatureBase64: string,
): Promise<Uint8Array | null> {
  const signature = signatureFromBase64(signatureBase64);
  for (const root of roots.all()) {
    if (await isSigned(verify, root, message, signature)) return root;
  }
  return null;
}
