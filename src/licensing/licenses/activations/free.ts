import type { Ctx } from '#kernel/context.ts';
import type { EndReason } from '#licensing/contract/enumerations.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { publish } from '#licensing/publish.ts';
import { statusAt } from '../decision/index.ts';
import { liveMachinesOf, type Standing, subjectOf } from '../standing/index.ts';
import * as repo from './repository.ts';
import { freed, tellSeat } from './seat-events.ts';

/** Who gives a seat back: the client by deactivate or by checkin, staff, or the customer on the account page. */
export type FreeReason = Extract<EndReason, 'CLIENT' | 'CHECKIN' | 'ADMIN' | 'PORTAL'>;

/**
 * Ends the live activation of a machine and tells it: LICENSE_DEACTIVATED, and for a lease SEAT_CHECKED_IN (D62). A
 * checkin is no deactivation and tells the latter only.
 *
 * @param standing under the lock; its activation is live at `now`
 * @param now ISO 8601 UTC, read under the lock
 */
export async function free(
  ctx: Ctx,
  standing: Standing,
  machineId: string,
  reason: FreeReason,
  now: string,
): Promise<void> {
  const { license } = standing;
  const activation = standing.activation as NonNullable<Standing['activation']>;
  if (!(await repo.end(ctx, activation.id, reason))) return;
  const after = { status: statusAt(license, now), machineIds: liveMachinesOf(license.id) };
  const { machineName, leaseExpiresAt, metadata } = activation;
  const isCheckin = reason === 'CHECKIN';
  if (!isCheckin) {
    const event = licensingEvent('LICENSE_DEACTIVATED', { machineId, machineName, reason });
    await publish(ctx, subjectOf(standing), { ...after, sides: freed({ machineId, leaseExpiresAt }) }, event);
  }
  if (leaseExpiresAt === null) return;
  const seat = { id: activation.id, machineId, machineName, leaseExpiresAt, metadata };
  const told = isCheckin ? after : { ...after, isPart: true as const };
  await tellSeat(ctx, 'SEAT_CHECKED_IN', standing, told, { seat, seatsUsed: standing.used - 1 });
}
