import type { Ctx } from '#kernel/context.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { publish } from '#licensing/publish.ts';
import { statusAt } from '../decision/index.ts';
import {
  findStanding,
  listLiveMachines,
  lockFirst,
  type Named,
  type Standing,
  subjectOf,
} from '../standing/index.ts';
import * as repo from './repository.ts';

/** A license under its lock, as it stood at `now`, which was read when the lock was held (C2). */
export interface Locked {
  /** null: unknown to the caller. */
  standing: Standing | null;
  /** ISO 8601 UTC. Whoever decides uses this one: a lease that counted at another time may not count now. */
  now: string;
}

/**
 * Locks the first of these names that the caller may know of. What leases make of its seats depends on the time, which
 * passed while the lock was waited for: a FLOATING license is therefore read again.
 *
 * @param machineId the machine whose activation is asked for; empty for none
 */
export async function lockAfresh(ctx: Ctx, names: readonly Named[], machineId: string): Promise<Locked> {
  const standing = await lockFirst(ctx, names, machineId);
  const now = ctx.now();
  if (standing?.license.type !== 'FLOATING') return { standing, now };
  return { standing: await reread(ctx, standing, machineId, now), now };
}

/** As `lockAfresh`, but ends leases that have run out first, so that none stands in the way of a new row (D75). */
export async function lockAndSweep(ctx: Ctx, names: readonly Named[], machineId: string): Promise<Locked> {
  const standing = await lockFirst(ctx, names, machineId);
  const now = ctx.now();
  if (standing?.license.type !== 'FLOATING') return { standing, now };
  await sweep(ctx, standing, now);
  return { standing: await reread(ctx, standing, machineId, now), now };
}

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

/** The caller named the license by a key, which stays the one that the answer shows (D130). */
async function reread(ctx: Ctx, first: Standing, machineId: string, now: string): Promise<Standing | null> {
  const again = await findStanding(ctx, { id: first.license.id }, machineId, now);
  return again && { ...again, sealedKey: first.sealedKey, spelling: first.spelling };
}
