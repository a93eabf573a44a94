// What holds while nobody answers (licensing.md 7.3, access() steps 2 to 4).
import { isoOf, TOLERANCE_MS } from './clock.ts';
import type { Core } from './core.ts';
import { errorOf, LicenseApiError } from './errors.ts';
import type { Json } from './json.ts';
import type { Offline } from './offline.ts';
import { isNull, isObject, isText } from './shape.ts';
import type { Access } from './types.ts';
import { nothingKnown } from './verdict.ts';

/** Refusals of a genuine token of this machine: no older answer stands against them. */
const settled = ['EXPIRED', 'VERSION_NOT_ALLOWED', 'CLOCK_ROLLED_BACK'];

/**
 * The stored token, else the last good answer, else nothing. A token that is none any more (its own life is over, or
 * it is not for this machine and product) counts as no token, and names the reason when there is no answer either.
 *
 * @param reason why there is no answer
 */
export async function accessWithoutServer(core: Core, offline: Offline, reason: Error): Promise<Access> {
  const { clock, identity, events } = core;
  const suspect = await clock.isSuspect();
  const byToken = await offline.judge().catch((error: unknown) => {
    events.emit('background-error', errorOf(error));
    return null;
  });
  if (byToken !== null && (byToken.valid || settled.includes(byToken.code))) return byToken;
  const cached = suspect ? null : await lastGoodAnswer(core);
  if (cached !== null) return cached;
  if (byToken !== null) return byToken;
  if (identity.licenseKey() === null) {
    return nothingKnown('NO_LICENSE_KEY', 'No license key has been entered', clock.now());
  }
  // An API that refuses this application is an outage for its user, and a fault for its vendor.
  if (reason instanceof LicenseApiError) events.emit('background-error', reason);
  return nothingKnown('UNREACHABLE', `The license could not be checked: ${reason.message}`, clock.now());
}

/** Keeps a good answer for an outage. The license key is a secret: it is put back when the answer is used. */
export async function keepAnswer({ settings, store }: Core, access: Access): Promise<void> {
  if (settings.offline.outageGraceMs === 0) return;
  const license = access.license && { ...access.license, key: '' };
  await store.write('answer', { access: { ...access, license } as unknown as Json });
}

/** The last good answer while it is young enough and its license had not ended by now. */
async function lastGoodAnswer({ settings, store, clock, identity }: Core): Promise<Access | null> {
  const { outageGraceMs } = settings.offline;
  const stored = (await store.read('answer'))?.access;
  if (outageGraceMs === 0 || !isObject(stored) || !isText(stored.checkedAt) || stored.valid !== true)
    return null;
  if (!isObject(stored.features) || !(isObject(stored.license) || isNull(stored.license))) return null;
  const now = clock.now();
  const access: Access = { ...nothingKnown('VALID', '', now), ...stored };
  const licenseEnd = access.graceExpiresAt ?? access.license?.validUntil ?? null;
  const termMs = licenseEnd === null ? Number.POSITIVE_INFINITY : Date.parse(licenseEnd);
  const end = Math.min(Date.parse(access.checkedAt) + outageGraceMs, termMs);
  // One from the future was kept under a clock that has been set back since, and would last for longer.
  if (Date.parse(access.checkedAt) > now + TOLERANCE_MS) return null;
  // An answer is used up to its age, a license ends at its date.
  if (!(now <= end && now < termMs)) return null;
  const license = access.license && { ...access.license, key: identity.licenseKey() ?? '' };
  return { ...access, license, source: 'cache', offlineUntil: isoOf(end) };
}
