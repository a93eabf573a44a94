import type { Ctx } from '#kernel/context.ts';
import type { Settlement } from '#kernel/outbox/handler.ts';
import { tellStaff } from '../../staff-mail/index.ts';
import { resourceOf, webhookEvents } from '../events.ts';
import type { RetryPlan } from '../service.ts';
import type { Attempted } from './attempt.ts';
import { skipWaiting, webhooksChanged } from './changes.ts';
import * as repo from './repository.ts';
import { retryAt, verdictOf } from './verdict.ts';

/** Deliveries in a row that fail before a webhook is disabled (spec, Delivery 4; D119). */
export const FAILURES_THAT_DISABLE = 20;

/** What became of a delivery by one attempt, for figures. */
export type Result = 'delivered' | 'failed' | 'retried' | 'skipped' | 'gone';

/** What was written. */
export interface Settled {
  settlement: Settlement;
  result: Result;
  /** ISO time, when this outcome disabled the webhook: then what is left to skip is the caller's to skip. */
  disabledAt: string | null;
}

/**
 * Writes the outcome of an attempt, in one transaction: the log, the delivery, and what it means for its webhook (M7).
 *
 * @param plan in force when the attempt began; `endedAt` ISO time at which the attempt ended: the next one is counted from there (D117)
 */
export async function settleAttempt(
  ctx: Ctx,
  plan: RetryPlan,
  delivery: repo.Waiting,
  { outcome, ...attempt }: Attempted,
  endedAt: string,
): Promise<Settled> {
  const { id, run } = delivery;
  const { webhookId } = delivery.sender;
  const result = await resultOf(ctx, plan, delivery, outcome, attempt.n);
  const next = result === 'retried' ? retryAt(plan, attempt.n, endedAt) : null;
  const isOurs = await repo.stand(ctx, {
    id,
    run,
    state: STATES[result],
    attempts: attempt.n,
    nextAttemptAt: next,
    endedAt: next === null ? endedAt : null,
    lastStatus: attempt.status,
    lastError: attempt.error,
    lastMs: attempt.ms,
  });
  // Deleted while it was on its way: there is nothing left to write to.
  if (!isOurs) return { settlement: 'ended', result: 'gone', disabledAt: null };
  // Neither needs the other's answer: on Postgres they share a trip.
  await Promise.all([
    repo.insertAttempt(ctx, id, { run, ...attempt }),
    result === 'delivered' && repo.resetFailures(ctx, webhookId),
  ]);
  const reason = await reasonToDisable(ctx, plan, delivery, result, attempt.status);
  const disabledAt = reason === null ? null : await disable(ctx, delivery, reason);
  return { settlement: next === null ? 'ended' : { retryAt: next }, result, disabledAt };
}

const STATES = {
  delivered: 'DELIVERED',
  failed: 'FAILED',
  retried: 'PENDING',
  skipped: 'SKIPPED',
} as const;

/** A redelivery was asked for by staff: whether the webhook is enabled does not matter to it. */
async function resultOf(
  ctx: Ctx,
  plan: RetryPlan,
  { run, sender }: repo.Waiting,
  outcome: Attempted['outcome'],
  n: number,
): Promise<keyof typeof STATES> {
  const verdict = verdictOf(plan, outcome, n);
  if (verdict !== 'retry') return verdict;
  return run > 0 || (await repo.isEnabled(ctx, sender.webhookId)) ? 'retried' : 'skipped';
}

/** A delivery counts, not an attempt; what staff sends again does not count (admin: replay). */
async function reasonToDisable(
  ctx: Ctx,
  plan: RetryPlan,
  { run, sender }: repo.Waiting,
  result: Result,
  status: number | null,
): Promise<string | null> {
  const failures = result === 'failed' && run === 0 ? await repo.countFailure(ctx, sender.webhookId) : 0;
  if (failures >= FAILURES_THAT_DISABLE) return `${FAILURES_THAT_DISABLE} deliveries in a row failed`;
  return status !== null && plan.endsWebhook(status) ? `the receiver answered ${status}` : null;
}

/** Once, whoever comes first: what waits is skipped, and the timeline says why. @returns when; null for the others */
async function disable(
  ctx: Ctx,
  { sender: { webhookId }, service }: repo.Waiting,
  reason: string,
): Promise<string | null> {
  const name = await repo.disable(ctx, webhookId, reason);
  if (name === null) return null;
  await webhooksChanged(ctx);
  const skipped = await skipWaiting(ctx, webhookId);
  await webhookEvents.tell(
    ctx,
    'WEBHOOK_DISABLED',
    webhookId,
    { name, skipped, reason },
    { target: resourceOf[service] },
  );
  await tellStaff(ctx, 'admin_webhook_disabled', webhookId);
  return ctx.now();
}
