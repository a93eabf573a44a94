import type { Ctx } from '#kernel/context.ts';
import { secureRandom } from '#kernel/crypto.ts';
import { AppError } from '#kernel/errors.ts';
import { removeAll, takeWaiting } from '#kernel/outbox/claims/repository.ts';
import { momentOf } from '#kernel/outbox/lease.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';
import type { Delivery } from '../webhook.ts';
import * as queries from './queries.ts';
import { WEBHOOK_KIND } from './source.ts';
import { forgetSubscriptions } from './subscriptions.ts';

/**
 * Tells the writers of events, here and in other processes, that a webhook was changed; inside the transaction of the
 * change. The version is random: one that counts would come again after a rollback, with another meaning.
 */
export async function webhooksChanged(ctx: Ctx): Promise<void> {
  await queries.writeVersion(ctx, Buffer.from(secureRandom(6)).readUIntBE(0, 6));
  ctx.afterCommit(() => forgetSubscriptions(ctx));
}

/**
 * Skips what waits for a webhook, in the transaction that disables it (D119). What is on its way is left: its outcome
 * is written, and where that would be another attempt it is skipped too.
 *
 * @returns how many deliveries were skipped
 */
export async function skipWaiting(ctx: Ctx, webhookId: string): Promise<number> {
  let skipped = 0;
  for (;;) {
    const waiting = await takeWaiting(ctx, WEBHOOK_KIND, webhookId, momentOf(ctx.now()));
    if (waiting.length === 0) return skipped;
    skipped += await queries.markSkipped(ctx, waiting);
  }
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
    throw new AppError('CONFLICT', 409, `delivery ${id} is still on its way`);
  await insertOutbox(ctx, [{ kind: WEBHOOK_KIND, target: webhookId, refId: id, availableAt: now }]);
}
