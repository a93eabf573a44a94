import type { Ctx } from '#kernel/context.ts';
import { sweep } from '../activations/index.ts';
import { findStanding, type Named, type Standing } from '../standing/index.ts';
import { lockFirst } from './lock.ts';

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

/** The caller named the license by a key, which stays the one that the answer shows (D130). */
async function reread(ctx: Ctx, first: Standing, machineId: string, now: string): Promise<Standing | null> {
  const again = await findStanding(ctx, { id: first.license.id }, machineId, now);
  return again && { ...again, sealedKey: first.sealedKey, spelling: first.spelling };
}
