import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import { fail } from '#licensing/contract/errors.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { noteOnTimeline, publish } from '#licensing/publish.ts';
import { statusAt } from '../decision/index.ts';
import { lockStanding, restartCounter } from '../licenses/index.ts';
import { liveMachinesOf, type Standing, subjectOf } from '../standing/index.ts';
import { show } from './queries.ts';
import { SetUsageInput } from './schemas.ts';
import type { UsageView } from './view.ts';

/**
 * Brings the counter of a license back to 0, in every status (licensing 4.2: USAGE_RESET). A counter that stands at
 * 0 stays as it is, without an event (C6).
 *
 * @returns the counter afterwards
 * @throws AppError NOT_FOUND
 */
export async function reset(ctx: Ctx, licenseId: string): Promise<UsageView> {
  return ctx.tx(async (ctx) => {
    const standing = await lock(ctx, licenseId);
    const { currentUses: previous } = standing.license;
    if (previous > 0) {
      await restartCounter(ctx, licenseId, 0);
      const after = { status: statusAt(standing.license, ctx.now()), machineIds: liveMachinesOf(licenseId) };
      const { kind, id, label } = ctx.actor;
      const event = licensingEvent('USAGE_RESET', { previous, current: 0, actor: { kind, id, label } });
      await publish(ctx, subjectOf(standing), after, event);
    }
    return show(ctx, licenseId);
  });
}

/**
 * Sets the counter of a license, also above its limit; told in the timeline alone (licensing 4.2). It goes on from
 * there with new parts by feature, even when the value is the one that it had: that also mends a broken sum.
 *
 * @param current 0 to 2^53-1
 * @returns the counter afterwards
 * @throws AppError NOT_FOUND, VALIDATION_ERROR
 */
export async function set(ctx: Ctx, licenseId: string, current: number): Promise<UsageView> {
  const input = checkInput(SetUsageInput, { current });
  return ctx.tx(async (ctx) => {
    const { currentUses: previous } = (await lock(ctx, licenseId)).license;
    await restartCounter(ctx, licenseId, input.current);
    await noteOnTimeline(ctx, licenseId, 'USAGE_SET', { previous, current: input.current });
    return show(ctx, licenseId);
  });
}

async function lock(ctx: Ctx, licenseId: string): Promise<Standing> {
  const standing = await lockStanding(ctx, { id: licenseId }, '', ctx.now());
  if (standing) return standing;
  throw fail('NOT_FOUND', `license ${licenseId} was not found`, { details: { hint: 'appctl license list' } });
}
