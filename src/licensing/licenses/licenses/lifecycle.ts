import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { noteOnTimeline, publish } from '#licensing/publish.ts';
import { endUntold, seeAll, sweep } from '../activations/index.ts';
import { statusAt } from '../decision/index.ts';
import {
  findStanding,
  listLiveMachines,
  liveMachinesOf,
  namesOf,
  resolveKey,
  type Standing,
  subjectOf,
} from '../standing/index.ts';
import { lock, reread } from './locked.ts';
import type { License } from './queries.ts';
import * as repo from './repository.ts';
import { judgeEnd, refuseUnread, tellRenewal } from './term.ts';

/** Which license: by id, by key, or by both when they name the same one (D39). */
export interface LicenseReference {
  licenseId?: string | undefined;
  licenseKey?: string | undefined;
}

/** Why a license was suspended (licensing section 3). */
export type SuspendReason = 'ADMIN' | 'HEARTBEAT_MISSED' | 'ABUSE' | 'REFUND' | 'DISPUTE' | 'RETURN';

/**
 * Ends a license for good and all its activations with it (D37, D39). Again: unchanged, no event.
 *
 * @param reason at most 500 characters, kept in the event log
 * @throws AppError NOT_FOUND, INVALID_KEY; VALIDATION_ERROR when id and key name two licenses
 */
export async function revoke(ctx: Ctx, reference: LicenseReference, reason: string | null): Promise<License> {
  const id = await idOf(ctx, reference);
  return ctx.tx(async (ctx) => {
    const standing = await lock(ctx, id);
    // A lease that has run out ends as what it is: its LEASE_EXPIRED could not be told any more (D75).
    await sweep(ctx, standing);
    const before = await listLiveMachines(ctx, id, ctx.now());
    if (await repo.revoke(ctx, id, reason)) {
      await endUntold(ctx, id, 'REVOKED');
      const details = { reason, deactivatedMachineIds: before };
      const event = licensingEvent('LICENSE_REVOKED', details);
      const sides = {
        before: { status: statusAt(standing.license, ctx.now()), machineIds: before },
        after: { status: 'REVOKED', machineIds: [] },
      };
      const after = { status: 'REVOKED' as const, machineIds: async () => before, sides };
      await publish(ctx, subjectOf(standing), after, event);
    }
    return reread(ctx, id);
  });
}

/**
 * Moves the end of a license, forward or back, and makes an EXPIRED one ACTIVE (D38).
 *
 * @param validUntil ISO 8601 UTC, in the future
 * @param options `onlyForward` leaves a license as it is that lasts as long already, or has no end
 * @throws AppError INVALID_KEY; VALIDATION_ERROR for a past date; NOT_FOUND, LICENSE_REVOKED
 */
export async function renew(
  ctx: Ctx,
  reference: LicenseReference,
  validUntil: string,
  options: { onlyForward?: boolean } = {},
): Promise<License> {
  refuseUnread(ctx, reference.licenseKey, validUntil);
  const id = await idOf(ctx, reference);
  return ctx.tx(async (ctx) => moveEnd(ctx, await lock(ctx, id), validUntil, options));
}

/**
 * Moves the end of a license forward by days, and makes an EXPIRED one ACTIVE (D38, cli.md 3.5). Two at once add up.
 *
 * @param days 1 to 3660, from the later of now and the license's end; a license without an end counts from now
 * @param options `fromNow` counts from now in any case
 * @throws AppError NOT_FOUND, LICENSE_REVOKED
 */
export async function extend(
  ctx: Ctx,
  licenseId: string,
  days: number,
  options: { fromNow?: boolean } = {},
): Promise<License> {
  return ctx.tx(async (ctx) => {
    const standing = await lock(ctx, licenseId);
    const { validUntil } = standing.license;
    const now = ctx.now();
    const from = !options.fromNow && validUntil !== null && validUntil > now ? validUntil : now;
    return moveEnd(ctx, standing, addSeconds(from, days * SECONDS_PER_DAY));
  });
}

/** A date that moves forward is a renewal; a shortening is only written to the timeline (D38). */
async function moveEnd(
  ctx: Ctx,
  standing: Standing,
  validUntil: string,
  { onlyForward = false }: { onlyForward?: boolean } = {},
): Promise<License> {
  const { id } = standing.license;
  const end = judgeEnd(ctx, standing, validUntil);
  // What is no renewal is a shortening, or nothing.
  if (end.changes && (end.emits || !onlyForward)) {
    await repo.renew(ctx, id, validUntil, end.status);
    await (end.emits ? tellRenewal(ctx, standing, end) : noteShortening(ctx, standing, validUntil));
  }
  return reread(ctx, id);
}

function noteShortening(ctx: Ctx, { license }: Standing, validUntil: string): Promise<void> {
  const details = {
    previousValidUntil: license.validUntil,
    validUntil,
    previousStatus: statusAt(license, ctx.now()),
  };
  return noteOnTimeline(ctx, license.id, 'LICENSE_SHORTENED', details);
}

/**
 * Disables a license until it is reinstated; its activations are kept (D40). Again: unchanged, no event.
 *
 * @throws AppError NOT_FOUND; CONFLICT for a REVOKED license
 */
export async function suspend(
  ctx: Ctx,
  licenseId: string,
  input: { reason: SuspendReason; note: string | null },
): Promise<License> {
  return ctx.tx(async (ctx) => {
    const standing = await lock(ctx, licenseId);
    refuseRevoked(standing, 'suspended');
    await suspendLocked(ctx, standing, input);
    return reread(ctx, licenseId);
  });
}

/**
 * As `suspend`, for a job or a rule that holds the license's lock already and needs no license back.
 *
 * @param standing of the locked license
 * @returns false when it was SUSPENDED or REVOKED: nothing changed, no event (C6)
 */
export async function suspendLocked(
  ctx: Ctx,
  standing: Standing,
  input: { reason: SuspendReason; note: string | null },
): Promise<boolean> {
  const { id } = standing.license;
  if (!(await repo.suspend(ctx, id, input.reason))) return false;
  const event = licensingEvent('LICENSE_SUSPENDED', input);
  const status = 'SUSPENDED' as const;
  const sides = { before: { status: statusAt(standing.license, ctx.now()) }, after: { status } };
  const after = { status, machineIds: liveMachinesOf(id), sides };
  await publish(ctx, subjectOf(standing), after, event);
  return true;
}

/**
 * Brings a suspended license back: ACTIVE, or EXPIRED when its date has passed (D40). Others stay as they are.
 *
 * @throws AppError NOT_FOUND; CONFLICT for a REVOKED license
 */
export async function reinstate(ctx: Ctx, licenseId: string): Promise<License> {
  return ctx.tx(async (ctx) => {
    const standing = await lock(ctx, licenseId);
    refuseRevoked(standing, 'resumed');
    if (await repo.reinstate(ctx, licenseId)) {
      await seeAll(ctx, licenseId);
      const now = ctx.now();
      const status = statusAt({ status: 'ACTIVE', validUntil: standing.license.validUntil }, now);
      const machineIds = liveMachinesOf(licenseId);
      const event = licensingEvent('LICENSE_REINSTATED', { previousStatus: 'SUSPENDED', status });
      await publish(ctx, subjectOf(standing), { status, machineIds }, event);
    }
    return reread(ctx, licenseId);
  });
}

function refuseRevoked({ license }: Standing, verb: string): void {
  if (license.status !== 'REVOKED') return;
  throw fail('CONFLICT', `license ${license.id} is REVOKED and cannot be ${verb}`, {
    details: { status: 'REVOKED', hint: 'mint a new license' },
  });
}

const unclear = (path: string, rule: string, message: string) =>
  fail('VALIDATION_ERROR', message, { details: { issues: [{ path, rule, message }] } });

async function idOf(ctx: Ctx, { licenseId, licenseKey }: LicenseReference): Promise<string> {
  const now = ctx.now();
  // A fault of the request goes before what is looked up (D3).
  if (licenseKey !== undefined && namesOf(ctx, licenseKey).length === 0) throw fail('INVALID_KEY');
  const byId = licenseId === undefined ? null : await findStanding(ctx, { id: licenseId }, '', now);
  if (licenseId !== undefined && !byId) throw fail('NOT_FOUND', `license ${licenseId} was not found`);
  if (licenseKey === undefined) {
    if (byId) return byId.license.id;
    throw unclear('licenseId', 'required', 'licenseId or licenseKey is required');
  }
  const { standing } = await resolveKey(ctx, licenseKey, '', now);
  if (!standing) throw fail('NOT_FOUND', 'License not found');
  if (byId && byId.license.id !== standing.license.id) {
    throw unclear('licenseKey', 'contradiction', 'licenseId and licenseKey name different licenses');
  }
  return standing.license.id;
}
