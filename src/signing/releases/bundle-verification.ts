import { keyIdOf, verify } from '#kernel/ed25519.ts';
import { type BundleDigest, digestBundle } from './bundle-digest.ts';
import { tauriText, verifyMinisign } from './minisign-signature.ts';
import { parseSha256 } from './sha256-text.ts';
import { type DetachedSignature, findMinisign, findSignature } from './signature-file.ts';
import type { SignatureClaims, Verification, VerifyReason } from './signature-form.ts';
import { openStatement } from './statement.ts';

/** What a bundle is checked against. */
export interface VerifyOptions {
  /** 32 raw bytes each; the signature must be by one of them. Empty: no key could be read. */
  readonly publicKeys: readonly Buffer[];
  /** Value of `--sig`: path or base64; null = `FILE.sig.json`. */
  readonly signature: string | null;
  /** Digest that the bundle must have, hex; null = any. */
  readonly expectedSha256: string | null;
  /** Told how many bytes have been read, after each MiB. */
  readonly onBytes?: ((done: number) => void) | undefined;
}

/**
 * Checks a bundle against its signature: FILE.sig.json with all that it claims, a signature alone, or a signature file
 * of minisign.
 *
 * @returns valid, or the first reason that applies: NO_SIGNATURE, HASH_MISMATCH, WRONG_KEY, BAD_SIGNATURE; `keyId` is
 *   that of the key used, null when there was none
 * @throws AppError VALIDATION_ERROR when the bundle is no regular file, CONFLICT when it changed meanwhile
 */
export async function verifyBundle(path: string, options: VerifyOptions): Promise<Verification> {
  const expected = options.expectedSha256 === null ? null : parseSha256(options.expectedSha256);
  const { publicKeys, signature, onBytes } = options;
  const minisign = await findMinisign(signature);
  if (minisign !== null) {
    const digest = await digestBundle(path, { blake2b: true, onBytes });
    return judged(digest, judgeMinisign(digest, minisign, publicKeys, expected));
  }
  const found = await findSignature(path, signature);
  const digest = await digestBundle(path, { blake2b: claimsTauri(found), onBytes });
  const publicKey = chooseKey(publicKeys, digest, found);
  return judged(digest, { reason: decideVerification({ digest, expected, found, publicKey }), publicKey });
}

interface Judgement {
  readonly reason: VerifyReason | null;
  /** 32 raw bytes, or null when no key could be read. */
  readonly publicKey: Buffer | null;
}

const judged = ({ sha256 }: BundleDigest, { reason, publicKey }: Judgement): Verification => ({
  valid: reason === null,
  ...(reason === null ? {} : { reason }),
  sha256: sha256.toString('hex'),
  keyId: publicKey === null ? null : keyIdOf(publicKey),
});

/** A signature of minisign names no key of ours: any of the keys may verify it. */
function judgeMinisign(
  digest: BundleDigest,
  text: string,
  keys: readonly Buffer[],
  expected: Buffer | null,
): Judgement {
  const { sha256, blake2b } = digest;
  const fits = keys.find((key) => blake2b !== undefined && verifyMinisign(text, key, blake2b));
  const publicKey = fits ?? keys[0] ?? null;
  if (expected !== null && !expected.equals(sha256)) return { reason: 'HASH_MISMATCH', publicKey };
  if (publicKey === null) return { reason: 'WRONG_KEY', publicKey };
  return { reason: fits ? null : 'BAD_SIGNATURE', publicKey };
}

const claimsTauri = (found: DetachedSignature | 'MALFORMED' | null): boolean =>
  found !== null && found !== 'MALFORMED' && found.claims?.extra?.tauri !== undefined;

/** The key that the signature names; without a name the one that fits; otherwise the primary one. */
function chooseKey(
  keys: readonly Buffer[],
  digest: BundleDigest,
  found: DetachedSignature | 'MALFORMED' | null,
): Buffer | null {
  const primary = keys[0] ?? null;
  if (found === null || found === 'MALFORMED') return primary;
  const { claims, signature } = found;
  const fits = (key: Buffer) =>
    claims === null ? verify(key, digest.sha256, signature) : keyIdOf(key) === claims.keyId;
  return keys.find(fits) ?? primary;
}

/** What is known when a verification is decided. */
export interface VerificationFacts {
  readonly digest: BundleDigest;
  /** 32 raw bytes, or null when the caller expects no certain digest. */
  readonly expected: Buffer | null;
  readonly found: DetachedSignature | 'MALFORMED' | null;
  readonly publicKey: Buffer | null;
}

/**
 * Decides whether a bundle is what was signed. Pure. What a signature file claims about itself must hold as well:
 * a claim that does not fit is a file that somebody edited.
 *
 * @returns null when everything holds
 */
export function decideVerification(facts: VerificationFacts): VerifyReason | null {
  const { digest, expected, found, publicKey } = facts;
  if (expected !== null && !expected.equals(digest.sha256)) return 'HASH_MISMATCH';
  if (found === null) return 'NO_SIGNATURE';
  const claims = found === 'MALFORMED' ? null : found.claims;
  if (claims !== null && (claims.sha256 !== digest.sha256.toString('hex') || claims.size !== digest.size)) {
    return 'HASH_MISMATCH';
  }
  if (publicKey === null || (claims !== null && claims.keyId !== keyIdOf(publicKey))) return 'WRONG_KEY';
  if (found === 'MALFORMED' || !verify(publicKey, digest.sha256, found.signature)) return 'BAD_SIGNATURE';
  return claims !== null && !claimsHold(claims, digest, publicKey) ? 'BAD_SIGNATURE' : null;
}

function claimsHold(claims: SignatureClaims, digest: BundleDigest, publicKey: Buffer): boolean {
  if (claims.publicKey !== undefined && claims.publicKey !== publicKey.toString('base64')) return false;
  const tauri = claims.extra?.tauri;
  const { blake2b } = digest;
  // A digest that was made without the other hash cannot judge it: who asks only for the signature is told of that.
  if (tauri !== undefined && blake2b && !verifyMinisign(tauriText(tauri), publicKey, blake2b)) return false;
  const { statement, statementSignature } = claims;
  if (statement === undefined && statementSignature === undefined) return true;
  const opened = openStatement(statement ?? '', statementSignature ?? '', publicKey);
  return (
    opened !== null &&
    opened.sha256 === digest.sha256.toString('hex') &&
    opened.size === digest.size &&
    opened.kid === keyIdOf(publicKey)
  );
}
