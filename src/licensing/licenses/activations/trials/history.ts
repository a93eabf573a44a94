import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { HistoryFacts } from '../../decision/index.ts';
import type { Standing } from '../../standing/index.ts';
import * as repo from './repository.ts';

const NO_CHURN = { deactivationsInWindow: 0, deactivationThatMustLapse: null };

/**
 * How often clients gave a seat back inside the policy's window (D63); null where no policy bounds it.
 *
 * @param now ISO 8601 UTC, the end of the window
 */
export async function churnOf(
  ctx: Ctx,
  { license, policy }: Pick<Standing, 'license' | 'policy'>,
  now: string,
): Promise<HistoryFacts | null> {
  const { maxDeactivations, deactivationWindowDays } = policy ?? {};
  if (maxDeactivations == null || deactivationWindowDays == null) return null;
  const since = addSeconds(now, -deactivationWindowDays * SECONDS_PER_DAY);
  const times = await repo.listClientEnds(ctx, license.id, since);
  return {
    deactivationsInWindow: times.length,
    deactivationThatMustLapse: times[Math.max(0, maxDeactivations - 1)] ?? null,
    trialSeenElsewhere: false,
  };
}

/** Whose trial an activation would be (D70), by keyed digests; null unless the license is a TRIAL. */
export const trialSubjectsOf = (
  ctx: Ctx,
  { license, product }: Pick<Standing, 'license'> & { product: { id: string } },
  machineId: string,
): repo.TrialSubjects | null =>
  license.type === 'TRIAL'
    ? {
        productId: product.id,
        licenseId: license.id,
        machine: ctx.keyring.digest('lookup', `machine:${machineId}`),
        customer: license.customerId && customerDigest(ctx, license.customerId),
      }
    : null;

const customerDigest = (ctx: Ctx, id: string): string => ctx.keyring.digest('lookup', `customer:${id}`);

/** The trials of a customer become those of another one, who is the same person (D70; licensing 4.2, merge). */
export const mergeTrials = (ctx: Ctx, fromId: string, intoId: string): Promise<void> =>
  repo.moveTrials(ctx, customerDigest(ctx, fromId), customerDigest(ctx, intoId));

/** Whether a trial of these was seen before (D70); null unless the license is a TRIAL. */
export const trialPastOf = async (ctx: Ctx, trial: repo.TrialSubjects | null): Promise<HistoryFacts | null> =>
  trial && { ...NO_CHURN, trialSeenElsewhere: await repo.isTrialSeenElsewhere(ctx, trial) };
