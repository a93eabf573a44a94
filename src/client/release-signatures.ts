// What release engineers sign offline (licensing.md 6.1, 6.3): anybody with the root keys can verify it.
import { fromHex, utf8 } from './bytes.ts';
import { payloadOf } from './delegation.ts';
import { isSigned, keyIdOf, readRootKeys, signatureFromBase64, webCryptoVerify } from './ed25519.ts';
import { ClientError } from './errors.ts';
import type { Json, Verify } from './types.ts';

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
export async function verifyBundle(
  sha256Hex: string,
  signatureBase64: string,
  rootKeys: string[],
  verify: Verify = webCryptoVerify,
): Promise<boolean> {
  const digest = fromHex(sha256Hex, 32);
  if (digest === null) return false;
  return (await signerOf(digest, signatureBase64, rootKeys, verify)) !== null;
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
export async function verifyStatement(
  statement: string,
  signatureBase64: string,
  rootKeys: string[],
  verify: Verify = webCryptoVerify,
): Promise<Json> {
  const text = /^release\/([\w-]+)$/.exec(statement)?.[1];
  const signer =
    text === undefined ? null : await signerOf(utf8(statement), signatureBase64, rootKeys, verify);
  const payload = text === undefined || signer === null ? null : payloadOf(text);
  if (payload?.v !== 1 || signer === null || payload.kid !== (await keyIdOf(signer))) {
    throw new ClientError('STATEMENT_INVALID', 'the release statement is not signed by a known key');
  }
  return payload;
}

async function signerOf(
  message: Uint8Array,
  signatureBase64: string,
  rootKeys: string[],
  verify: Verify,
): Promise<Uint8Array | null> {
  const signature = signatureFromBase64(signatureBase64);
  for (const root of readRootKeys(rootKeys).all()) {
    if (await isSigned(verify, root, message, signature)) return root;
  }
  return null;
}
