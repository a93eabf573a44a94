import { basename } from 'node:path';
import { decodeHex, keyIdOf, type SigningKey, verify } from '#kernel/ed25519.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '../errors.ts';
import { type BundleDigest, digestBundle } from './bundle-digest.ts';
import {
  type DetachedSignature,
  findSignature,
  type SignatureFormat,
  signaturePath,
  writeSignatureFile,
} from './signature-file.ts';
import type {
  SignatureClaims,
  SignatureRecord,
  Verification,
  VerifyReason,
  WrittenSignature,
} from './signature-form.ts';
import { openStatement, type StatementInput, signStatement } from './statement.ts';

/** How bundles are signed; the same for all files of one call. */
export interface SignOptions {
  readonly key: SigningKey;
  /** Time of signing, ISO 8601 UTC. */
  readonly now: string;
  readonly format: SignatureFormat;
  readonly comment: string | null;
  /** Digest that the bundle must have, hex; null = any. */
  readonly expectedSha256: string | null;
  /** Written when product and version are known; null = none. */
  readonly statement: StatementInput | null;
  /** Folder of the signature file; null = beside the bundle. */
  readonly outDir: string | null;
  readonly force: boolean;
  readonly dryRun: boolean;
}

/**
 * Signs a bundle and writes its signature file: pure Ed25519 over the 32 raw bytes of the SHA-256 (licensing D96).
 * Needs no server and no database; memory does not grow with the file.
 *
 * @returns the Signature of cli 2
 * @throws AppError VALIDATION_ERROR (no regular file, bad expected digest), CONFLICT (changed meanwhile, foreign
 *   signature file), VERIFICATION_FAILED (another digest than expected)
 */
export async function signBundle(path: string, options: SignOptions): Promise<WrittenSignature> {
  const expected = options.expectedSha256 === null ? null : parseSha256(options.expectedSha256);
  const digest = await digestBundle(path);
  if (expected !== null && !expected.equals(digest.sha256)) {
    throw new AppError('VERIFICATION_FAILED', 422, `${path} does not have the expected SHA-256`, {
      details: { reason: 'HASH_MISMATCH', sha256: digest.sha256.toString('hex') },
    });
  }
  const signatureFile = signaturePath(path, options.format, options.outDir);
  const record = await writeSignatureFile(signatureFile, recordOf(path, digest, options), options);
  return { ...record, signatureFile };
}

function recordOf(path: string, digest: BundleDigest, options: SignOptions): SignatureRecord {
  const { key, statement, now } = options;
  return {
    file: basename(path),
    size: digest.size,
    sha256: digest.sha256.toString('hex'),
    signature: key.sign(digest.sha256).toString('base64'),
    algorithm: 'ed25519-sha256',
    keyId: key.keyId,
    publicKey: key.publicKey.toString('base64'),
    signedAt: now,
    comment: options.comment,
    ...(statement === null ? {} : signStatement(statement, digest, key, now)),
  };
}

/** What a bundle is checked against. */
export interface VerifyOptions {
  /** 32 raw bytes each; the signature must be by one of them. Empty: no key could be read. */
  readonly publicKeys: readonly Buffer[];
  /** Value of `--sig`: path or base64; null = `FILE.sig.json`. */
  readonly signature: string | null;
  /** Digest that the bundle must have, hex; null = any. */
  readonly expectedSha256: string | null;
}

/**
 * Checks a bundle against its signature.
 *
 * @returns valid, or the first reason that applies: NO_SIGNATURE, HASH_MISMATCH, WRONG_KEY, BAD_SIGNATURE; `keyId` is
 *   that of the key used, null when there was none
 * @throws AppError VALIDATION_ERROR when the bundle is no regular file, CONFLICT when it changed meanwhile
 */
export async function verifyBundle(path: string, options: VerifyOptions): Promise<Verification> {
  const expected = options.expectedSha256 === null ? null : parseSha256(options.expectedSha256);
  const found = await findSignature(path, options.signature);
  const digest = await digestBundle(path);
  const publicKey = chooseKey(options.publicKeys, digest, found);
  const reason = decideVerification({ digest, expected, found, publicKey });
  return {
    valid: reason === null,
    ...(reason === null ? {} : { reason }),
    sha256: digest.sha256.toString('hex'),
    keyId: publicKey === null ? null : keyIdOf(publicKey),
  };
}

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

function parseSha256(text: string): Buffer {
  try {
    return decodeHex(text, 32);
  } catch {
    throw fail('VALIDATION_ERROR', 'a SHA-256 has 64 hex characters');
  }
}
