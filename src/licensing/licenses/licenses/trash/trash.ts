import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { checkInput } from '#kernel/service/input.ts';
import { fail } from '#licensing/contract/errors.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { publish } from '#licensing/publish.ts';
import { endUntold, sweep } from '../../activations/index.ts';
import { statusAt } from '../../decision/index.ts';
import { findStanding, listLiveMachines, liveMachinesOf, subjectOf } from '../../standing/index.ts';
import { licenseStaffEvents } from '../events.ts';
import { lockStanding } from '../lock.ts';
import * as repo from './repository.ts';

const Reason = text({ max: bounds.reason }).nullable();

/**
 * Puts a license into the trash: all its activations end, the public API takes its key for unknown, and its
 * idempotency keys are free again (licensing 4.2, DELETE /licenses/{id}; D42, D123). Again: unchanged, no event.
 *
 * @param reason at most 500 characters, kept in the event
 * @returns false when it was there already
 * @throws AppError NOT_FOUND, VALIDATION_ERROR
 */
export async function trash(ctx: Ctx, licenseId: string, reason: string | null): Promise<boolean> {
  checkInput(Reason, reason);
  return ctx.tx(async (ctx) => {
    const found = (await repo.lock(ctx, licenseId)) ?? missing(licenseId);
    if (found.deletedAt !== null) return false;
    const now = ctx.now();
    const standing = (await lockStanding(ctx, { id: licenseId }, '', now)) ?? missing(licenseId);
    // A lease that has run out ends as what it is: its LEASE_EXPIRED could not be told any more (D75).
    await sweep(ctx, standing, now);
    const before = await listLiveMachines(ctx, licenseId, now);
    await repo.trash(ctx, licenseId);
    await endUntold(ctx, licenseId, 'DELETED');
    const event = licensingEvent('LICENSE_DELETED', { reason, deactivatedMachineIds: before });
    const sides = {
      before: { deletedAt: null, machineIds: before },
      after: { deletedAt: now, machineIds: [] },
    };
    const after = { status: statusAt(standing.license, now), machineIds: async () => before, sides };
    await publish(ctx, subjectOf(standing), after, event);
    return true;
  });
}

/**
 * Takes a license out of the trash, in its prior status and without activations (D42). Its date may have passed in
 * there. A license outside the trash: unchanged, no event.
 *
 * @returns false when it was not in the trash
 * @throws AppError NOT_FOUND
 */
export async function restore(ctx: Ctx, licenseId: string): Promise<boolean> {
  return ctx.tx(async (ctx) => {
    const found = (await repo.lock(ctx, licenseId)) ?? missing(licenseId);
    if (found.deletedAt === null) return false;
    await repo.restore(ctx, licenseId);
    const standing = (await findStanding(ctx, { id: licenseId }, '', ctx.now())) ?? missing(licenseId);
    const status = statusAt(found, ctx.now());
    const previousStatus = statusAt(found, found.deletedAt);
    const event = licensingEvent('LICENSE_RESTORED', { previousStatus, status });
    const sides = {
      before: { deletedAt: found.deletedAt, status: previousStatus },
      after: { deletedAt: null, status },
    };
    await publish(ctx, subjectOf(standing), { status, machineIds: liveMachinesOf(licenseId), sides }, event);
    return true;
  });
}

/**
 * Deletes a license in the trash for good; its timeline stays and ends with LICENSE_PURGED (licensing 4.2).
 *
 * @throws AppError NOT_FOUND; CONFLICT outside the trash
 */
export async function purge(ctx: Ctx, licenseId: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const found = (await repo.lock(ctx, licenseId)) ?? missing(licenseId);
    if (found.deletedAt === null) {
      throw fail('CONFLICT', `license ${licenseId} is not in the trash`, {
        details: { reason: 'NOT_IN_TRASH', hint: `appctl license delete ${licenseId}` },
      });
    }
    await purgeLocked(ctx, licenseId, found.deletedAt);
  });
}

/**
 * Deletes a license that was put into the trash at `before` or earlier, inside the caller's transaction.
 *
 * @param before ISO 8601 UTC
 * @returns false when it is not there any more
 */
export async function purgeLocked(ctx: Ctx, licenseId: string, before: string): Promise<boolean> {
  if (!(await repo.purge(ctx, licenseId, before))) return false;
  await licenseStaffEvents.tell(ctx, 'LICENSE_PURGED', licenseId, {}, { before: { deletedAt: before } });
  return true;
}

function missing(licenseId: string): never {
  throw fail('NOT_FOUND', `license ${licenseId} was not found`, { details: { hint: 'appctl license list' } });
}
