import { isoTime, systemClock } from '#kernel/clock.ts';
import type { SigningKey } from '#kernel/ed25519.ts';
import type { BundleDigest } from '#signing/releases/bundle-digest.ts';
import { StatementInput, signStatement } from '#signing/releases/statement.ts';
import { usageError } from '../frame/errors.ts';
import type { DeskRelease, SignedStatement } from './twin.ts';

/**
 * What a statement says of a release: what the release says of itself, so that the two cannot differ.
 *
 * @param days life of the statement; undefined: the usual one
 */
export const statementInput = (
  release: DeskRelease,
  sequence: number,
  days: number | undefined,
): StatementInput =>
  StatementInput.parse({
    product: release.product,
    version: release.version,
    channel: release.channel,
    platform: release.platform,
    arch: release.arch,
    isCritical: release.isCritical,
    requiresMigration: release.requiresMigration,
    minFromVersion: release.minFromVersion,
    sequence,
    statementDays: days,
  });

/** Signs a statement, now. */
export const signedStatement = (
  input: StatementInput,
  digest: BundleDigest,
  key: SigningKey,
): SignedStatement => signStatement(input, digest, key, isoTime(systemClock.epochMs()));

/**
 * The digest of a bundle that the desk holds.
 *
 * @throws usage error (2) for a release without one
 */
export function digestOfRelease({ id, bundleSha256, bundleSize }: DeskRelease): BundleDigest {
  if (bundleSha256 === null || bundleSize === null)
    throw usageError(`the release ${id} has no bundle yet`, `appctl release upload ${id} FILE`);
  return { sha256: Buffer.from(bundleSha256, 'hex'), size: bundleSize };
}
