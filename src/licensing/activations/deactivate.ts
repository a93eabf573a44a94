import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { EndReason } from '../enumerations.ts';
import { fail } from '../errors.ts';
import { licensingEvent } from '../events.ts';
import { publish } from '../publish.ts';
import { defaultLeaseSeconds } from '../settings.ts';
import {
  type Facts,
  factsOf,
  type HistoryFacts,
  judge,
  liveMachinesOf,
  lockFirst,
  lockStanding,
  type Named,
  namesOf,
  refusal,
  type Standing,
  statusAt,
  subjectOf,
} from '../validation/index.ts';
import * as repo from './repository.ts';
import type { DeactivateInput } from './schemas.ts';

/**
 * Frees the slot of a machine, in every status of the license (spec POST /api/v1/license/deactivate; D62, D63).
 *
 * @throws AppError NOT_FOUND, INVALID_KEY, DEACTIVATION_FAILED (`details.reason` NO_ACTIVATION or CHURN_LIMIT)
 */
export async function deactivate(ctx: Ctx, input: DeactivateInput): Promise<{ message: string }> {
  const names = namesOf(ctx, input.licenseKey);
  return ctx.tx(async (ctx) => {
    const standing = await lockFirst(ctx, names, input.machineId);
    const facts: Facts = {
      ...factsOf({ malformed: names.length === 0, standing }, {}, ctx.settings.get(defaultLeaseSeconds)),
      history: standing && (await churn(ctx, standing)),
    };
    const decision = judge(ctx, 'deactivate', facts, ctx.now(), input.machineId);
    if (!standing || !decision.allowed) throw refusal('deactivate', decision);
    await free(ctx, standing, input.machineId, 'CLIENT');
    return { message: decision.message };
  });
}

/**
 * Frees the slot of a machine by hand: support in the terminal or the panel. Does not count as churn (D63).
 *
 * @param named the license; `machineId` as the client sent it
 * @throws AppError NOT_FOUND for the license or when the machine holds no live activation
 */
export async function remove(ctx: Ctx, licenseId: string, machineId: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const named: Named = { id: licenseId };
    const standing = await lockStanding(ctx, named, machineId, ctx.now());
    if (!standing) throw fail('NOT_FOUND', `there is no license ${licenseId}`);
    if (!standing.activation) throw fail('NOT_FOUND', `${machineId} holds no activation of ${licenseId}`);
    await free(ctx, standing, machineId, 'ADMIN');
  });
}

/** How often clients gave a seat back inside the policy's window; asked only where a policy bounds it. */
async function churn(ctx: Ctx, { license, policy }: Standing): Promise<HistoryFacts | null> {
  const { maxDeactivations, deactivationWindowDays } = policy ?? {};
  if (maxDeactivations == null || deactivationWindowDays == null) return null;
  const since = addSeconds(ctx.now(), -deactivationWindowDays * SECONDS_PER_DAY);
  const times = await repo.listClientEnds(ctx, license.id, since);
  return {
    deactivationsInWindow: times.length,
    deactivationThatMustLapse: times[Math.max(0, maxDeactivations - 1)] ?? null,
    trialSeenElsewhere: false,
  };
}

async function free(
  ctx: Ctx,
  standing: Standing,
  machineId: string,
  reason: Extract<EndReason, 'CLIENT' | 'ADMIN' | 'PORTAL'>,
): Promise<void> {
  const activation = standing.activation as NonNullable<Standing['activation']>;
  await repo.end(ctx, activation.id, reason);
  const now = ctx.now();
  const after = { status: statusAt(standing.license, now), machineIds: liveMachinesOf(standing.license.id) };
  const { machineName, leaseExpiresAt } = activation;
  const deactivated = licensingEvent('LICENSE_DEACTIVATED', { machineId, machineName, reason });
  await publish(ctx, subjectOf(standing), after, deactivated);
  if (leaseExpiresAt === null) return;
  await publish(
    ctx,
    subjectOf(standing),
    after,
    licensingEvent('SEAT_CHECKED_IN', {
      activationId: activation.id,
      machineId,
      machineName,
      leaseExpiresAt,
      seatsUsed: standing.used - 1,
      seatsTotal: standing.license.maxActivations,
    }),
  );
}
