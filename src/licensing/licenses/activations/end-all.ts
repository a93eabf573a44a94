import type { Ctx } from '#kernel/context.ts';
import type { EndReason } from '#licensing/contract/enumerations.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { type Aftermath, publish } from '#licensing/publish.ts';
import { statusAt } from '../decision/index.ts';
import { liveMachinesOf, type Standing, subjectOf } from '../standing/index.ts';
import * as repo from './repository.ts';
import { freed, tellSeat } from './seat-events.ts';
import { sweep } from './sweep.ts';

/** An activation that was live and is over. */
export type Ended = Pick<repo.Activation, 'id' | 'machineId' | 'machineName' | 'leaseExpiresAt' | 'metadata'>;

/**
 * Ends all activations of a locked license and tells of each. The wire knows of three reasons only, so a machine that
 * a transfer or a new key has put out is told as one that staff has: LICENSE_DEACTIVATED with reason ADMIN (D62).
 *
 * @param standing read under the lock, in this transaction
 * @param reason what the rows keep
 */
export async function endAll(
  ctx: Ctx,
  standing: Standing,
  reason: Extract<EndReason, 'ADMIN' | 'TRANSFER' | 'REPLACED'>,
): Promise<Ended[]> {
  const { license } = standing;
  // Leases that have run out are not told as freed by somebody (D75).
  await sweep(ctx, standing);
  const ended = await repo.endAll(ctx, license.id, reason);
  const after = { status: statusAt(license, ctx.now()), machineIds: liveMachinesOf(license.id) };
  for (const one of ended) await tell(ctx, standing, after, one);
  return ended;
}

/**
 * Ends all activations of a locked license that an event of the caller tells of, as LICENSE_REVOKED does.
 *
 * @param reason what the rows keep
 */
export async function endUntold(
  ctx: Ctx,
  licenseId: string,
  reason: Extract<EndReason, 'REVOKED' | 'DELETED'>,
): Promise<void> {
  await repo.endAll(ctx, licenseId, reason);
}

async function tell(ctx: Ctx, standing: Standing, after: Aftermath, ended: Ended): Promise<void> {
  const { id, machineId, machineName, leaseExpiresAt, metadata } = ended;
  const event = licensingEvent('LICENSE_DEACTIVATED', { machineId, machineName, reason: 'ADMIN' });
  await publish(ctx, subjectOf(standing), { ...after, sides: freed(ended) }, event);
  if (leaseExpiresAt === null) return;
  const seat = { id, machineId, machineName, leaseExpiresAt, metadata };
  // One statement gave all seats of the license back.
  await tellSeat(ctx, 'SEAT_CHECKED_IN', standing, { ...after, isPart: true }, { seat, seatsUsed: 0 });
}
