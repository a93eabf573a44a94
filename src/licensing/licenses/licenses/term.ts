import type { Ctx } from '#kernel/context.ts';
import type { LicenseStatus } from '#licensing/contract/enumerations.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { publish } from '#licensing/publish.ts';
import { seeAll } from '../activations/index.ts';
import { decide, refusal, statusAt } from '../decision/index.ts';
import { factsOf, judge, liveMachinesOf, namesOf, type Standing, subjectOf } from '../standing/index.ts';

/** What a new end makes of a license (D38). */
export interface NewEnd {
  /** ISO 8601 UTC; null = without an end. */
  validUntil: string | null;
  /** The status to store. */
  status: LicenseStatus;
  /** False when nothing would differ. */
  changes: boolean;
  /** Whether it is a renewal: a date that moved forward, or an end to EXPIRED. */
  emits: boolean;
}

/** Later than any date that can be sent: a license without an end outlasts every other. */
const AFTER_EVERY_DATE = '9999-12-31T23:59:59.999Z';

/**
 * Refuses what is wrong with the request itself, whatever license it names: that goes before the look-up (D3).
 *
 * @param validUntil ISO 8601 UTC
 * @throws AppError INVALID_KEY; VALIDATION_ERROR for a date that is not in the future
 */
export function refuseUnread(ctx: Ctx, licenseKey: string | undefined, validUntil: string): void {
  const malformed = licenseKey !== undefined && namesOf(ctx, licenseKey).length === 0;
  const leaseSeconds = ctx.settings.get(defaultLeaseSeconds);
  const facts = factsOf({ malformed, standing: null }, { validUntil }, leaseSeconds);
  const now = ctx.now();
  if (decide('renew', facts, now).code === 'NOT_FOUND') return;
  throw refusal('renew', judge(ctx, 'renew', facts, now, ''));
}

/**
 * Judges a new end of a locked license (D38).
 *
 * @param validUntil ISO 8601 UTC, in the future; null takes the end away
 * @throws AppError VALIDATION_ERROR for a past date; LICENSE_REVOKED
 */
export function judgeEnd(ctx: Ctx, standing: Standing, validUntil: string | null): NewEnd {
  const facts = factsOf(
    { malformed: false, standing },
    { validUntil: validUntil ?? AFTER_EVERY_DATE },
    ctx.settings.get(defaultLeaseSeconds),
  );
  const decision = judge(ctx, 'renew', facts, ctx.now(), '');
  if (!decision.allowed || !decision.renewal) throw refusal('renew', decision);
  const { status, changes, emits } = decision.renewal;
  if (validUntil !== null) return { validUntil, status, changes, emits };
  const expired = statusAt(standing.license, ctx.now()) === 'EXPIRED';
  return { validUntil, status, changes: expired || standing.license.validUntil !== null, emits };
}

/** LICENSE_RENEWED, after the new end was written. */
export async function tellRenewal(ctx: Ctx, standing: Standing, end: NewEnd): Promise<void> {
  const { license, policy } = standing;
  // While it was EXPIRED, heartbeats were refused (D36): the next cull must not fire at once (as D40).
  if (typeof policy?.heartbeatInterval === 'number' && statusAt(license, ctx.now()) === 'EXPIRED')
    await seeAll(ctx, license.id);
  const event = licensingEvent('LICENSE_RENEWED', {
    previousValidUntil: license.validUntil,
    validUntil: end.validUntil,
    previousStatus: statusAt(license, ctx.now()),
  });
  await publish(
    ctx,
    subjectOf(standing),
    { status: end.status, machineIds: liveMachinesOf(license.id) },
    event,
  );
}
