import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { churnOf, free } from '../activations/index.ts';
import { type Facts, isLive, refusal } from '../decision/index.ts';
import { lockAfresh } from '../licenses/index.ts';
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
    if (!standing) throw fail('NOT_FOUND', `there is no license ${licenseId}`);
    if (!isLive(standing.activation, now))
      throw fail('NOT_FOUND', `${machineId} holds no activation of ${licenseId}`);
    await free(ctx, standing, machineId, 'ADMIN', now);
  });
}
