import { compareVersions } from '#licensing/releases/releases/index.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { DeskProduct } from './product-keys.ts';
import type { DeskRelease } from './twin.ts';

/**
 * Makes sure that publishing will take the key.
 *
 * @returns whether the product has no key at all, so that this one becomes its first
 * @throws CliError 6 for a key that is not the ACTIVE one, 5 when no key is
 */
export function judgeKey({ reference, keys }: DeskProduct, keyId: string): boolean {
  if (keys.length === 0) return true;
  const active = keys.find(({ status }) => status === 'ACTIVE')?.keyId ?? null;
  if (active === keyId) return false;
  const known = keys.find((key) => key.keyId === keyId);
  const hint = hintFor(known?.status, { reference, keyId, active });
  if (active === null) {
    throw new CliError(exits.conflict, 'CONFLICT', `${reference} has no active signing key`, {
      hint,
      details: { reason: 'NO_ACTIVE_KEY' },
    });
  }
  const standing = known === undefined ? `no key of ${reference}` : `${known.status} and not in use`;
  throw new CliError(
    exits.verificationFailed,
    'VERIFICATION_FAILED',
    `the key ${keyId} is ${standing}; releases of ${reference} are signed with ${active}`,
    { hint, details: { reason: 'WRONG_KEY', keyId, activeKeyId: active } },
  );
}

/** A NEXT key takes over by itself: until then a release is signed by the key that installed programs know. */
function hintFor(
  status: string | undefined,
  { reference, keyId, active }: { reference: string; keyId: string; active: string | null },
): string {
  if (status !== 'NEXT') return `appctl keys list --product ${reference}`;
  return active === null
    ? `appctl keys activate ${keyId}`
    : `sign it with the key ${active}; ${keyId} takes over when its rotation is due, or with appctl keys activate ${keyId}`;
}

/** The highest published version of a channel, or null. */
export function newestOf(
  siblings: readonly DeskRelease[],
  channel: DeskRelease['channel'] | undefined,
): DeskRelease | null {
  return siblings
    .filter(({ state, channel: other }) => state === 'PUBLISHED' && other === channel)
    .reduce<DeskRelease | null>(
      (best, release) => (best && compareVersions(best.version, release.version) >= 0 ? best : release),
      null,
    );
}

/**
 * A version below the newest one would be offered to nobody who has that; more often it is a mistake.
 *
 * @throws CliError 5
 */
export function requireRisingVersion(newest: DeskRelease | null, version: string): void {
  if (newest === null || compareVersions(version, newest.version) > 0) return;
  throw new CliError(
    exits.conflict,
    'CONFLICT',
    `${version} is not higher than ${newest.version}, the newest version on channel ${newest.channel}`,
    {
      hint: 'ship a higher version, or add --backport for an older line',
      details: { reason: 'VERSION_NOT_RISING', newest: newest.version },
    },
  );
}

/** What happens to a release without a signed statement, or null for one that has it (licensing 6.3, 7.3). */
export function noStatementWarning(release: DeskRelease): string | null {
  if (release.statementExpiresAt !== null) return null;
  return (
    `${release.version} has no signed statement: the client SDK refuses it unless its updates.requireStatement is ` +
    'false. appctl release sign with --product and --version creates one'
  );
}

/**
 * What clients with an older key alone should be told, or null: without minFromVersion they are offered a release that
 * they cannot verify.
 */
export function keyChangeWarning(previous: DeskRelease | null, release: DeskRelease): string | null {
  const isChange = previous !== null && previous.keyId !== null && previous.keyId !== release.keyId;
  if (!isChange || release.minFromVersion !== null) return null;
  return (
    `${previous.version} is signed by another key: applications that know only that one cannot verify ` +
    `${release.version}; --min-from VERSION lets them first update to a version that knows both`
  );
}

/**
 * What becomes of a newer release beside a backport, or null: the statement of the backport is the later one, and who has
 * seen that takes nothing earlier (licensing 6.3).
 */
export function backportWarning(newest: DeskRelease | null, release: DeskRelease): string | null {
  if (newest === null || compareVersions(release.version, newest.version) > 0) return null;
  if (newest.statementExpiresAt === null || release.statementExpiresAt === null) return null;
  return (
    `applications that have seen ${release.version} refuse ${newest.version}, whose statement is older; ` +
    `appctl release promote ${newest.id} --to ${newest.channel} --key KEY signs it again`
  );
}
