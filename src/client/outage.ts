// What holds while nobody answers (licensing.md 7.3, access() steps 2 to 4).

import { isKeyFault } from './calls.ts';
import { isoOf, TOLERANCE_MS } from './clock.ts';
import type { Core } from './core.ts';
import { ClientError, errorOf, LicenseApiError } from './errors.ts';
import type { Json } from './json.ts';
import type { Offline } from './offline.ts';
import type { Settings } from './options.ts';
import { keptProof, type Provable, reopen } from './proof.ts';
import { isNull, isObject, isText, type JsonObject } from './shape.ts';
import type { Access } from './types.ts';
import { accessOf, nothingKnown } from './verdict.ts';

/** Refusals of a genuine token of this machine: no older answer stands against them. */
const settled = ['EXPIRED', 'VERSION_NOT_ALLOWED', 'CLOCK_ROLLED_BACK'];

/**
 * How long the last good answer counts while the server refuses requests because there were too many: the application is
 * to blame for that, or somebody else, and not the user. A refusal is not signed, so it must not count for ever.
 */
const RATE_LIMIT_GRACE_MS = 86_400_000;

/**
 * The stored token, else the last good answer, else nothing. A token that is none any more (its own life is over, or
 * it is not for this machine and product) counts as no token, and names the reason when there is no answer either.
 *
 * @param reason why there is no answer
 */
export async function accessWithoutServer(core: Core, offline: Offline, reason: Error): Promise<Access> {
  const isLimit = isRateLimit(reason);
  const access = await withoutServer(core, offline, reason, isLimit);
  // An API that refuses this application is an outage for its user, and a fault for its vendor.
  if (reason instanceof LicenseApiError && (isLimit || access.source === 'none'))
    core.events.emit('background-error', reason);
  return isLimit ? { ...access, ...waitOf(reason, core.clock.now()) } : access;
}

/** What is left of the wait that was asked for. @param now Unix milliseconds */
function waitOf({ retryAt }: LicenseApiError, now: number): Pick<Access, 'retryAfterSeconds' | 'retryAt'> {
  const leftMs = retryAt === null ? null : Math.max(0, Date.parse(retryAt) - now);
  return { retryAfterSeconds: leftMs === null ? null : Math.ceil(leftMs / 1000), retryAt };
}

export const isRateLimit = (error: unknown): error is LicenseApiError =>
  error instanceof LicenseApiError && error.httpStatus === 429;

/**
 * How long access() may be kept waiting by a rate limit, as `patienceMs` of a call: the start of an application is not
 * held up by a limit that leaves its user an answer.
 */
export async function patienceFor(core: Core): Promise<number | undefined> {
  const { clock, settings } = core;
  if (clock.now() < clock.lastSeen() - TOLERANCE_MS) return undefined;
  const known = await lastGoodAnswer(core, limitGraceMs(settings.offline));
  return known === null ? undefined : 0;
}

const limitGraceMs = ({ outageGraceMs }: Settings['offline']): number =>
  Math.max(RATE_LIMIT_GRACE_MS, outageGraceMs);

async function withoutServer(core: Core, offline: Offline, reason: Error, isLimit: boolean): Promise<Access> {
  const { clock, settings, events } = core;
  const suspect = await clock.isSuspect();
  const byToken = await offline.judge().catch((error: unknown) => {
    events.emit('background-error', errorOf(error));
    return null;
  });
  if (byToken !== null && (byToken.valid || settled.includes(byToken.code))) return byToken;
  const { outageGraceMs } = settings.offline;
  const graceMs = isLimit ? limitGraceMs(settings.offline) : outageGraceMs;
  const cached = suspect ? null : await lastGoodAnswer(core, graceMs);
  if (cached !== null) return isLimit && outageGraceMs === 0 ? { ...cached, offlineUntil: null } : cached;
  if (isLimit)
    return nothingKnown('RATE_LIMITED', 'The license server is busy: try again later', clock.now());
  if (byToken !== null) return byToken;
  if (reason instanceof ClientError && isKeyFault(reason))
    return nothingKnown(reason.code, reason.message, clock.now());
  return nothingKnown('UNREACHABLE', `The license could not be checked: ${reason.message}`, clock.now());
}

/** Keeps a good answer for an outage. The license key is a secret: it is put back when the answer is used. */
export async function keepAnswer({ store, identity }: Core, access: Access, answer: Provable): Promise<void> {
  const license = access.license && { ...access.license, key: '' };
  const proof = keptProof(answer, identity.licenseKey());
  await store.write('answer', { access: { ...access, license } as unknown as Json, proof });
}

/** The last good answer while it is young enough and its license had not ended by now. */
async function lastGoodAnswer(core: Core, graceMs: number): Promise<Access | null> {
  const access = graceMs === 0 ? null : await keptAnswer(core);
  if (access === null) return null;
  const now = core.clock.now();
  const licenseEnd = access.graceExpiresAt ?? access.license?.validUntil ?? null;
  const termMs = licenseEnd === null ? Number.POSITIVE_INFINITY : Date.parse(licenseEnd);
  const end = Math.min(Date.parse(access.checkedAt) + graceMs, termMs);
  // One from the future was kept under a clock that has been set back since, and would last for longer.
  if (Date.parse(access.checkedAt) > now + TOLERANCE_MS) return null;
  // An answer is used up to its age, a license ends at its date.
  if (!(now <= end && now < termMs)) return null;
  const license = access.license && { ...access.license, key: core.identity.licenseKey() ?? '' };
  return { ...access, license, source: 'cache', offlineUntil: isoOf(end) };
}

/** What is kept of it, as far as it may be believed: the storage can be edited. */
async function keptAnswer({ store, clock, identity, settings }: Core): Promise<Access | null> {
  const kept = await store.read('answer');
  const proven = await reopen(settings, kept?.proof, identity.licenseKey());
  if (proven === 'WRONG') return null;
  if (proven !== 'UNSIGNED') return provenAccess(proven, settings.machine.id);
  const stored = kept?.access;
  if (!isObject(stored) || !isText(stored.checkedAt) || stored.valid !== true) return null;
  if (!isObject(stored.features) || !(isObject(stored.license) || isNull(stored.license))) return null;
  return { ...nothingKnown('VALID', '', clock.now()), ...stored };
}

/** @returns null for a refusal, for the answer to another question, and for one about another machine */
function provenAccess({ body, at }: { body: JsonObject; at: number }, machineId: string): Access | null {
  try {
    const access = accessOf(body, at);
    const { license, activation } = access;
    const isOwn = license !== null && (activation === null || activation.machineId === machineId);
    return access.valid && isOwn ? access : null;
  } catch {
    return null;
  }
}
