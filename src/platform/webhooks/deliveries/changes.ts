import type { Ctx } from '#kernel/context.ts';
import { countWaiting, removeAll, takeWaiting, type Waiting } from '#kernel/outbox/claims/repository.ts';
import { momentOf } from '#kernel/outbox/lease.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';
import { writeVersion } from '#kernel/outbox/subscriptions/repository.ts';
import { secureRandom } from '#kernel/random.ts';
import { fail } from '#kernel/service/errors.ts';
import type { Delivery } from '../webhook.ts';
import * as queries from './queries.ts';
import { WEBHOOK_KIND } from './source.ts';
import { forgetSubscriptions } from './subscriptions.ts';

/** Deliveries that one transaction skips: other writers wait for it (C16). */
const SKIPPED_AT_ONCE = 500;

/**
 * Tells the writers of events, here and in other processes, that a webhook was changed; inside the transaction of the
 * change. The version is random: one that counts would come again after a rollback, with another meaning.
 */
export async function webhooksChanged(ctx: Ctx): Promise<void> {
  await writeVersion(ctx, secureRandom(6).readUIntBE(0, 6));
  ctx.afterCommit(() => forgetSubscriptions(ctx));
}

/**
 * Skips what waits for a webhook, in the transaction that disables it (D119): the first 500, since a hundred thousand
 * would keep everybody else from writing for seconds. `skipRest` skips the others after the commit; where it is cut
 * short, the worker does when their turn comes. What is on its way is left: its outcome is written, and where that
 * would be another attempt it is skipped too.
 *
 * @returns how many deliveries wait, and are skipped now or by `skipRest`
 */
export async function skipWaiting(ctx: Ctx, webhookId: string): Promise<number> {
  const waiting = waitingBy(ctx, webhookId, ctx.now());
  const count = await countWaiting(ctx, waiting);
  await skipSome(ctx, waiting);
  return count;
}

/**
 * Skips what `skipWaiting` left, in transactions of its own. Before a webhook is enabled again this must have ended, or
 * the rest would be sent.
 *
 * @param disabledAt ISO time: what staff has sent again since is no part of it
 */
export async function skipRest(ctx: Ctx, webhookId: string, disabledAt: string): Promise<void> {
  for (let skipped = SKIPPED_AT_ONCE; skipped === SKIPPED_AT_ONCE; )
    skipped = await ctx.tx((ctx) => skipSome(ctx, waitingBy(ctx, webhookId, disabledAt)));
}

const waitingBy = (ctx: Ctx, target: string, writtenBy: string): Waiting => ({
  kind: WEBHOOK_KIND,
  target,
  writtenBy,
  moment: momentOf(ctx.now()),
});

async function skipSome(ctx: Ctx, waiting: Waiting): Promise<number> {
  const taken = await takeWaiting(ctx, waiting, SKIPPED_AT_ONCE);
  if (taken.length > 0) await queries.markSkipped(ctx, taken);
  return taken.length;
}

/** Takes all entries of a webhook out of the outbox, in the transaction that deletes it: nothing is sent any more. */
export const dropWaiting = (ctx: Ctx, webhookId: string): Promise<number> =>
  removeAll(ctx, WEBHOOK_KIND, webhookId);

/**
 * Sends a delivery that has ended once more: the same bytes and id, attempt 1 anew (D120). Also for a webhook that is
 * disabled. Inside a transaction.
 *
 * @throws AppError CONFLICT while it is still on its way
 */
export async function queueAgain(
  ctx: Ctx,
  { id, webhookId }: Pick<Delivery, 'id' | 'webhookId'>,
): Promise<void> {
  const now = ctx.now();
  if (!(await queries.beginAgain(ctx, id, now)))
    throw fail('CONFLICT', `delivery ${id} is still being delivered`);
  await insertOutbox(ctx, [{ kind: WEBHOOK_KIND, target: webhookId, refId: id, availableAt: now }]);
}
