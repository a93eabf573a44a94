import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { TargetOutcome } from '#kernel/outbound/types.ts';
import { secureRandom } from '#kernel/random.ts';
import type { RetryPlan, SendingService } from '../service.ts';

/** Whether a delivery has arrived, is tried once more, or is given up. */
export type Verdict = 'delivered' | 'retry' | 'failed';

/** ±10 % (D117): receivers that were away are not asked by everybody in the same second. */
const JITTER = 0.1;

/** The plan of a service with as many attempts as its settings say now; the last delay stands before all further ones. */
export function planInForce(ctx: Ctx, { plan, terms }: SendingService): RetryPlan {
  const { delaysSeconds } = plan;
  const last = delaysSeconds.at(-1) ?? 0;
  const delays = Array.from({ length: terms(ctx).attempts }, (_, at) => delaysSeconds[at] ?? last);
  return { ...plan, delaysSeconds: delays };
}

/** @param n the attempt that has ended, 1 for the first */
export function verdictOf(plan: RetryPlan, outcome: TargetOutcome, n: number): Verdict {
  if ('status' in outcome) {
    if (outcome.status >= 200 && outcome.status < 300) return 'delivered';
    if (!plan.retries(outcome.status)) return 'failed';
  }
  return n < plan.delaysSeconds.length ? 'retry' : 'failed';
}

/**
 * When the next attempt is due.
 *
 * @param n the attempt that has ended; @param endedAt ISO time of its end
 */
export function retryAt(plan: RetryPlan, n: number, endedAt: string): string {
  const fraction = secureRandom(4).readUInt32BE() / 0xffff_ffff;
  return addSeconds(endedAt, (plan.delaysSeconds[n] ?? 0) * (1 + JITTER * (2 * fraction - 1)));
}

/** The longest time between two attempts, in seconds. */
export const longestDelay = (plan: RetryPlan): number => Math.max(...plan.delaysSeconds) * (1 + JITTER);
