import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { churnOf, free, machineOf } from '../activations/index.ts';
import { type Facts, isLive, refusal } from '../decision/index.ts';
import { listActivations, lockAfresh } from '../licenses/index.ts';
import { factsOf, judge, namesOf } from '../standing/index.ts';
import type { DeactivateInput } from './schemas.ts';

/**
 * Frees the slot of a machine, in every status of the license (spec POST /api/v1/license/deactivate; D62, D63).
 *
 * @throws AppError NOT_FOUND, INVALID_KEY, DEACTIVATION_FAILED (`details.reason` NO_ACTIVATION or CHURN_LIMIT)
 */
export async function deactivate(ctx: Ctx, input: DeactivateInput): Promise<{ message: string }> {
  const names = namesOf(ctx, input.licenseKey);
  return ctx.tx(async (ctx) => {
    const { standing, now } = await lockAfresh(ctx, names, input.machineId);
    const facts: Facts = {
      ...factsOf({ malformed: names.length === 0, standing }, {}, ctx.settings.get(defaultLeaseSeconds)),
      history: standing && (await churnOf(ctx, standing, now)),
    };
    const decision = judge(ctx, 'deactivate', facts, now, input.machineId);
    if (!standing || !decision.allowed) throw refusal('deactivate', decision);
    await free(ctx, standing, input.machineId, 'CLIENT', now);
    return { message: decision.message };
  });
}

/**
 * Frees the slot of a machine by hand, a node's or a lease: support in the terminal or the panel. Does not count as
 * churn (D63). On a lease it is a forced checkin and tells what deactivate tells (D62).
 *
 * @param machineId as the client sent it
 * @throws AppError NOT_FOUND for the license or when the machine holds no live activation
 */
export async function remove(ctx: Ctx, licenseId: string, machineId: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const { standing, now } = await lockAfresh(ctx, [{ id: licenseId }], machineId);
    if (!standing) throw fail('NOT_FOUND', `license ${licenseId} was not found`);
    if (!isLive(standing.activation, now))
      throw fail('NOT_FOUND', `${machineId} holds no activation of ${licenseId}`);
    await free(ctx, standing, machineId, 'ADMIN', now);
  });
}

/** A live machine as the customer who owns its license sees it. */
export interface OwnMachine {
  /** Of the activation. */
  readonly id: string;
  readonly machineName: string | null;
  readonly machineIdMasked: string;
  /** Name and version; null when the machine never said. */
  readonly os: string | null;
  readonly activatedAt: string;
  readonly lastSeenAt: string;
}

/** Live machines of a license, the longest active first; none for a license that is unknown. */
export const machinesOf = async (ctx: Ctx, licenseId: string): Promise<OwnMachine[]> =>
  (await listActivations(ctx, licenseId)).map((one) => ({
    id: one.id,
    machineName: one.machineName,
    machineIdMasked: masked(one.machineId),
    os: [one.osName, one.osVersion].filter(Boolean).join(' ') || null,
    activatedAt: one.activatedAt,
    lastSeenAt: one.lastSeenAt,
  }));

/** At most half of it, which is enough to tell two machines apart. */
function masked(machineId: string): string {
  const letters = [...machineId];
  const shown = Math.min(4, Math.floor(letters.length / 4));
  return `${letters.slice(0, shown).join('')}…${letters.slice(-shown).join('')}`;
}

/**
 * Frees the slot or the seat of a machine for the customer who owns the license: LICENSE_DEACTIVATED with reason PORTAL
 * (licensing 2.12, D62). Allowed in every status; does not count as churn (D63).
 *
 * @returns the machines that are left
 * @throws AppError NOT_FOUND: unknown, of another license, or over
 */
export function releaseMachine(
  ctx: Ctx,
  licenseId: string,
  activationId: string,
): Promise<{ activationsUsed: number; maxActivations: number }> {
  return ctx.tx(async (ctx) => {
    const machineId = await machineOf(ctx, licenseId, activationId);
    if (machineId === null) throw missing();
    const { standing, now } = await lockAfresh(ctx, [{ id: licenseId }], machineId);
    // While the lock was waited for it may have ended, and the machine may have been activated anew.
    const isHeld = standing?.activation?.id === activationId && isLive(standing.activation, now);
    if (!standing || !isHeld) throw missing();
    await free(ctx, standing, machineId, 'PORTAL', now);
    return { activationsUsed: standing.used - 1, maxActivations: standing.license.maxActivations };
  });
}

const missing = () => fail('NOT_FOUND', 'Activation not found');
