import type { Ctx } from '#kernel/context.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { publish } from '#licensing/publish.ts';
import { statusAt } from '../decision/index.ts';
import { listLiveMachines, type Standing, subjectOf } from '../standing/index.ts';
import * as repo from './repository.ts';

/**
 * Ends the leases of a locked license that have run out, and tells LEASE_EXPIRED of each (D75; licensing 5.2, 5.4).
 *
 * @param now ISO 8601 UTC, read under the lock
 * @returns how many there were
 */
export async function sweep(ctx: Ctx, standing: Standing, now = ctx.now()): Promise<number> {
  const { license } = standing;
  const expired = await repo.endExpiredLeases(ctx, license.id, now);
  if (expired.length === 0) return 0;
  const after = { status: statusAt(standing.license, now), machineIds: readOnce(license.id, now) };
  // Sent together: on Postgres a thousand events share few trips. Their order is that of their ids.
  await Promise.all(
    expired.map((lease) => publish(ctx, subjectOf(standing), after, licensingEvent('LEASE_EXPIRED', lease))),
  );
  return expired.length;
}

/** All events of one sweep tell of the same machines, a thousand at most: they are read once, and only for receivers. */
function readOnce(licenseId: string, now: string): (ctx: Ctx) => Promise<string[]> {
  let machineIds: Promise<string[]> | null = null;
  return (ctx) => {
    machineIds ??= listLiveMachines(ctx, licenseId, now);
    return machineIds;
  };
}
