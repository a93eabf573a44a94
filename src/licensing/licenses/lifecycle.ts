import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { LicenseStatus } from '../enumerations.ts';
import { fail } from '../errors.ts';
import { licensingEvent } from '../events.ts';
import { publish } from '../publish.ts';
import { defaultLeaseSeconds } from '../settings.ts';
import {
  factsOf,
  findStanding,
  judge,
  listLiveMachines,
  liveMachinesOf,
  lockStanding,
  refusal,
  resolveKey,
  type Standing,
  statusAt,
  subjectOf,
} from '../validation/index.ts';
import { findLicense, type License } from './queries.ts';
import * as repo from './repository.ts';

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
    const before = await listLiveMachines(ctx, id, ctx.now());
    if (await repo.revoke(ctx, id, reason)) {
      await repo.endActivations(ctx, id, 'REVOKED');
      const details = { reason, deactivatedMachineIds: before };
      const event = licensingEvent('LICENSE_REVOKED', details);
      await publish(ctx, subjectOf(standing), { status: 'REVOKED', machineIds: async () => before }, event);
    }
    return reread(ctx, id);
  });
}

/**
 * Moves the end of a license, forward or back, and makes an EXPIRED one ACTIVE (D38).
 *
 * @param validUntil ISO 8601 UTC, in the future
 * @throws AppError VALIDATION_ERROR for a past date, NOT_FOUND, LICENSE_REVOKED
 */
export async function renew(ctx: Ctx, reference: LicenseReference, validUntil: string): Promise<License> {
  const id = await idOf(ctx, reference);
  return ctx.tx(async (ctx) => moveEnd(ctx, await lock(ctx, id), validUntil));
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

async function moveEnd(ctx: Ctx, standing: Standing, validUntil: string): Promise<License> {
  const { id } = standing.license;
  const facts = factsOf(
    { malformed: false, standing },
    { validUntil },
    ctx.settings.get(defaultLeaseSeconds),
  );
  const decision = judge(ctx, 'renew', facts, ctx.now(), '');
  if (!decision.allowed || !decision.renewal) throw refusal('renew', decision);
  const { changes, emits, status } = decision.renewal;
  if (changes) await repo.renew(ctx, id, validUntil, status);
  if (changes) await tellRenewal(ctx, standing, validUntil, status, emits);
  return reread(ctx, id);
}

/** A date that moves forward is a renewal; a shortening is only written to the timeline (D38). */
async function tellRenewal(
  ctx: Ctx,
  standing: Standing,
  validUntil: string,
  status: LicenseStatus,
  emits: boolean,
): Promise<void> {
  const { id } = standing.license;
  const now = ctx.now();
  const details = {
    previousValidUntil: standing.license.validUntil,
    validUntil,
    previousStatus: statusAt(standing.license, now),
  };
  if (!emits)
    return ctx.emit({ type: 'LICENSE_SHORTENED', service: 'license', subject: id, data: { details } });
  const after = { status, machineIds: liveMachinesOf(id) };
  await publish(ctx, subjectOf(standing), after, licensingEvent('LICENSE_RENEWED', details));
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
    if (await repo.suspend(ctx, licenseId, input.reason)) {
      const machineIds = liveMachinesOf(licenseId);
      const event = licensingEvent('LICENSE_SUSPENDED', input);
      await publish(ctx, subjectOf(standing), { status: 'SUSPENDED', machineIds }, event);
    }
    return reread(ctx, licenseId);
  });
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
      await repo.markSeen(ctx, licenseId);
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

async function lock(ctx: Ctx, id: string): Promise<Standing> {
  const standing = await lockStanding(ctx, { id }, '', ctx.now());
  if (!standing) throw fail('NOT_FOUND', `there is no license ${id}`);
  return standing;
}

const reread = async (ctx: Ctx, id: string): Promise<License> => (await findLicense(ctx, id)) as License;

async function idOf(ctx: Ctx, { licenseId, licenseKey }: LicenseReference): Promise<string> {
  const now = ctx.now();
  const byId = licenseId === undefined ? null : await findStanding(ctx, { id: licenseId }, '', now);
  if (licenseId !== undefined && !byId) throw fail('NOT_FOUND', `there is no license ${licenseId}`);
  if (licenseKey === undefined) {
    if (byId) return byId.license.id;
    throw fail('VALIDATION_ERROR', 'licenseId or licenseKey is required');
  }
  const { malformed, standing } = await resolveKey(ctx, licenseKey, '', now);
  if (malformed) throw fail('INVALID_KEY');
  if (!standing) throw fail('NOT_FOUND', 'License not found');
  if (byId && byId.license.id !== standing.license.id) {
    throw fail('VALIDATION_ERROR', 'licenseId and licenseKey name different licenses');
  }
  return standing.license.id;
}
