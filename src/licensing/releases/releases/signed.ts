/** Whether a release is what was signed (licensing D96, 6.3). Pure: no database, no clock. */
import { decodeBase64, keyIdOf, SIGNATURE_BYTES, verify } from '#kernel/ed25519.ts';
import { openStatement, type Statement } from '#signing/releases/statement.ts';
import { nameOf, refuse } from './refusal.ts';
import type { Release } from './release.ts';

/** A statement and its signature as they came. */
export interface SignedStatement {
  readonly statement: string;
  readonly statementSignature: string;
}

/**
 * Whether a signature is good over the digest of a bundle.
 *
 * @param sha256 lower-case hex
 * @param signature base64; anything else is a bad signature
 * @param publicKey 32 raw bytes
 */
export function signatureFits(sha256: string, signature: string, publicKey: Buffer): boolean {
  try {
    return verify(publicKey, Buffer.from(sha256, 'hex'), decodeBase64(signature, SIGNATURE_BYTES));
  } catch {
    return false;
  }
}

/** @throws AppError VERIFICATION_FAILED, reason BAD_SIGNATURE */
export function requireSignature(
  release: Release,
  sha256: string,
  signature: string,
  publicKey: Buffer,
): void {
  if (signatureFits(sha256, signature, publicKey)) return;
  throw refuse(
    'BAD_SIGNATURE',
    `the signature of ${nameOf(release)} is not one of key ${keyIdOf(publicKey)} over this bundle; sign it again`,
    { keyId: keyIdOf(publicKey), sha256 },
  );
}

/**
 * Reads a statement, which must be signed by the key and say of the release what the release says of itself.
 *
 * @param release as it is, or as it would be; without a bundle its digest and size are not compared
 * @param publicKey 32 raw bytes
 * @throws AppError VERIFICATION_FAILED, reason STATEMENT_INVALID or STATEMENT_MISMATCH with the fields that differ
 */
export function requireStatement(
  release: Release,
  { statement, statementSignature }: SignedStatement,
  publicKey: Buffer,
): Statement {
  const keyId = keyIdOf(publicKey);
  const opened = openStatement(statement, statementSignature, publicKey);
  if (opened === null || Number.isNaN(Date.parse(opened.expiresAt))) {
    throw refuse(
      'STATEMENT_INVALID',
      `the statement of ${nameOf(release)} is not one that key ${keyId} signed; sign it again`,
      { keyId },
    );
  }
  const fields = differences(release, opened, keyId);
  if (fields.length === 0) return opened;
  throw refuse(
    'STATEMENT_MISMATCH',
    `the statement differs from ${nameOf(release)} in ${fields.join(', ')}; sign it with what the release says`,
    { fields },
  );
}

function differences(release: Release, opened: Statement, keyId: string): string[] {
  const bundle =
    release.bundleSha256 === null ? {} : { sha256: release.bundleSha256, size: release.bundleSize };
  const said = {
    product: release.productSlug,
    channel: release.channel,
    platform: release.platform,
    arch: release.arch,
    version: release.version,
    isCritical: release.isCritical,
    requiresMigration: release.requiresMigration,
    minFromVersion: release.minFromVersion,
    kid: keyId,
    ...bundle,
  };
  return Object.entries(said).flatMap(([field, value]) =>
    opened[field as keyof Statement] === value ? [] : [field],
  );
}
