import type { Ctx } from '#kernel/context.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { findLastExpired, free } from '../activations/index.ts';
import { decide, refusal, seatsOf } from '../decision/index.ts';
import { lockAfresh } from '../licenses/index.ts';
import { factsOf, judge, namesOf } from '../standing/index.ts';
import type { CheckinInput } from './schemas.ts';

/** What is free after a seat was given back (D76). */
export interface CheckedIn {
  message: string;
  seatsUsed: number;
  seatsTotal: number;
  seatsAvailable: number;
}

/**
 * Gives a floating seat back, in every status of the license (spec POST /api/v1/license/checkin; D37, D75, D76).
 *
 * @throws AppError NOT_FOUND, INVALID_KEY, NOT_FLOATING; NOT_CHECKED_OUT with `details.lastLeaseExpiredAt`
 */
export async function checkin(ctx: Ctx, input: CheckinInput): Promise<CheckedIn> {
  const names = namesOf(ctx, input.licenseKey);
  const { machineId } = input;
  return ctx.tx(async (ctx) => {
    const { standing, now } = await lockAfresh(ctx, names, machineId);
    const resolved = { malformed: names.length === 0, standing };
    const facts = factsOf(resolved, {}, ctx.settings.get(defaultLeaseSeconds));
    const decision = judge(ctx, 'checkin', facts, now, machineId);
    if (!standing) throw refusal('checkin', decision);
    if (!decision.allowed) {
      // A lease that ran out and was not swept yet stands in the facts; the end of an older one is read.
      const lastLeaseExpiredAt =
        facts.activation?.leaseExpiresAt ?? (await findLastExpired(ctx, standing.license.id, machineId));
      throw refusal('checkin', decide('checkin', { ...facts, circumstances: { lastLeaseExpiredAt } }, now));
    }
    await free(ctx, standing, machineId, 'CHECKIN', now);
    return { message: decision.message, ...seatsOf(standing.used - 1, standing.license.maxActivations) };
  });
}
