import type { AppError } from '#kernel/errors.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { Release } from './release.ts';

/**
 * Why something cannot be done to a release, and the code that it answers with. What a client would refuse is
 * VERIFICATION_FAILED (CLI exit 6); what another state would allow is CONFLICT (exit 5).
 */
const CODES = {
  NOT_DRAFT: 'CONFLICT',
  NOT_PUBLISHED: 'CONFLICT',
  VERSION_EXISTS: 'CONFLICT',
  NO_BUNDLE: 'CONFLICT',
  FILE_MISSING: 'CONFLICT',
  FILE_SHARED: 'CONFLICT',
  NO_ACTIVE_KEY: 'CONFLICT',
  NO_STATEMENT: 'CONFLICT',
  SEQUENCE_NOT_RISING: 'CONFLICT',
  CHANGED_MEANWHILE: 'CONFLICT',
  CHANNEL_MISMATCH: 'VALIDATION_ERROR',
  UNSIGNED: 'VERIFICATION_FAILED',
  HASH_MISMATCH: 'VERIFICATION_FAILED',
  BAD_SIGNATURE: 'VERIFICATION_FAILED',
  WRONG_KEY: 'VERIFICATION_FAILED',
  STATEMENT_REQUIRED: 'VERIFICATION_FAILED',
  STATEMENT_INVALID: 'VERIFICATION_FAILED',
  STATEMENT_MISMATCH: 'VERIFICATION_FAILED',
  STATEMENT_EXPIRES_SOON: 'VERIFICATION_FAILED',
} as const;

/** `details.reason` of a refusal. */
export type ReleaseReason = keyof typeof CODES;

/**
 * The error of a refusal.
 *
 * @param message ends with the cure where there is one
 * @param facts further details
 */
export const refuse = (
  reason: ReleaseReason,
  message: string,
  facts: Record<string, unknown> = {},
): AppError => fail(CODES[reason], message, { details: { reason, ...facts } });

/** `editor 2.1.0 (windows x64)`: how a message names a release. */
export function nameOf({
  productSlug,
  version,
  platform,
  arch,
}: Pick<Release, 'productSlug' | 'version' | 'platform' | 'arch'>): string {
  const target = [platform, arch].filter((part) => part !== '').join(' ');
  return `${productSlug} ${version}${target === '' ? '' : ` (${target})`}`;
}

/**
 * @param cure what to do instead
 * @throws AppError CONFLICT, reason NOT_DRAFT
 */
export function requireDraft(
  release: Release,
  cure = 'published releases cannot change; create a new version',
): void {
  if (release.state === 'DRAFT') return;
  throw refuse('NOT_DRAFT', `${nameOf(release)} is ${release.state}: ${cure}`, {
    id: release.id,
    state: release.state,
  });
}

/** @throws AppError CONFLICT, reason NOT_PUBLISHED */
export function requireState(release: Release, states: readonly Release['state'][]): void {
  if (states.includes(release.state)) return;
  throw refuse(
    'NOT_PUBLISHED',
    `${nameOf(release)} is ${release.state}, and must be ${states.join(' or ')}`,
    {
      id: release.id,
      state: release.state,
      hint: release.state === 'DRAFT' ? `appctl release publish ${release.id}` : undefined,
    },
  );
}

/** @throws AppError CONFLICT: somebody changed the release while its bytes or signatures were read */
export const changedMeanwhile = (release: Release): AppError =>
  refuse('CHANGED_MEANWHILE', `${nameOf(release)} was changed in the meantime; try again`, {
    id: release.id,
  });
