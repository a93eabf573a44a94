import type { Ctx } from '#kernel/context.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { publish } from '#licensing/publish.ts';
import { graceEnd, statusAt } from '../decision/index.ts';
import {
  holdStanding,
  liveMachinesOf,
  type Named,
  noteUnknownKey,
  type Standing,
  subjectOf,
} from '../standing/index.ts';
import * as repo from './expiry/repository.ts';

/** What a look at the date of a locked license came to. */
export interface Swept {
  standing: Standing;
  /** Whether the row changed from ACTIVE to EXPIRED. */
  expired: boolean;
  /** Whether LICENSE_EXPIRED was written: once per date, however often the date is moved there and back. */
  announced: boolean;
}

/**
 * Locks a license row and reads its standing. A date that has passed is persisted first: EXPIRED, and LICENSE_EXPIRED
 * (D34). Every writing use case comes through here, so none that moves the date or ends the license skips the event.
 * A license whose date has not passed costs no statement.
 *
 * @param machineId the machine whose activation is asked for; empty for none
 * @returns null when the caller may not know of the license
 */
export async function lockStanding(
  ctx: Ctx,
  named: Named,
  machineId: string,
  now: string,
): Promise<Standing | null> {
  return (await lockAndExpire(ctx, named, machineId, now))?.standing ?? null;
}

/** As `lockStanding`, for a caller who counts what expired. */
export async function lockAndExpire(
  ctx: Ctx,
  named: Named,
  machineId: string,
  now: string,
): Promise<Swept | null> {
  const standing = await holdStanding(ctx, named, machineId, now);
  if (!standing) return null;
  // The lock may have been waited for, and time with it: the date is compared with the time that is now (C2).
  const at = ctx.now();
  const isDue = standing.license.status === 'ACTIVE' && statusAt(standing.license, at) === 'EXPIRED';
  return isDue ? expire(ctx, standing, at) : { standing, expired: false, announced: false };
}

async function expire(ctx: Ctx, standing: Standing, now: string): Promise<Swept> {
  const { id, validUntil } = standing.license;
  const { changed, announced } = await repo.expire(ctx, id, now);
  if (!changed) throw new Error(`license ${id} was due under its lock and is not any more`);
  const swept: Standing = { ...standing, license: { ...standing.license, status: 'EXPIRED' } };
  if (announced) return { standing: swept, expired: true, announced: false };
  const event = licensingEvent('LICENSE_EXPIRED', {
    validUntil: validUntil as string,
    graceExpiresAt: graceEnd(standing.license, standing.policy),
  });
  const status = 'EXPIRED' as const;
  const sides = { before: { status: standing.license.status }, after: { status } };
  await publish(ctx, subjectOf(swept), { status, machineIds: liveMachinesOf(id), sides }, event);
  return { standing: swept, expired: true, announced: true };
}

/** Locks the first of these names that the caller may know of, and reads its standing; null when there is none. */
export async function lockFirst(
  ctx: Ctx,
  names: readonly Named[],
  machineId: string,
): Promise<Standing | null> {
  for (const named of names) {
    const standing = await lockStanding(ctx, named, machineId, ctx.now());
    if (standing) return standing;
  }
  await noteUnknownKey(ctx, names, machineId);
  return null;
}

/** Persists the dates that have passed among locked licenses: for a use case that works on many of them at once. */
export async function expireAmong(ctx: Ctx, licenseIds: readonly string[]): Promise<void> {
  if (licenseIds.length === 0) return;
  for (const id of await repo.listDueAmong(ctx, licenseIds, ctx.now()))
    await lockStanding(ctx, { id }, '', ctx.now());
}
