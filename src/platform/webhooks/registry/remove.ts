import type { Ctx } from '#kernel/context.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { dropWaiting, webhooksChanged } from '../deliveries/changes.ts';
import type { WebhookService } from '../service.ts';
import type { Webhook } from '../webhook.ts';
import { type ChangeOptions, changeWebhook, lockWebhook, tell } from './change.ts';
import * as repo from './repository.ts';
import { disabling } from './switch.ts';
import { get } from './webhooks.ts';

/** A month of deliveries in one transaction would keep everybody else from writing. */
const DELIVERIES_PER_TRANSACTION = 500;

/**
 * Deletes a webhook with the log of its deliveries; what waits is never sent. It is disabled first, so that nothing new
 * comes while its log is deleted in small steps; a call that was cut short is simply made again.
 *
 * @returns the webhook as it was
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED
 */
export async function remove(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  options: ChangeOptions = {},
): Promise<Webhook> {
  const before = await get(ctx, service, id);
  await changeWebhook(ctx, service, id, options, async (ctx, { enabled }) =>
    enabled ? disabling(ctx, id, 'it is being deleted') : null,
  );
  if (isRehearsal(ctx)) return before;
  let removed: number;
  do {
    removed = await ctx.tx((ctx) => repo.removeDeliveries(ctx, id, DELIVERIES_PER_TRANSACTION));
  } while (removed > 0);
  await ctx.tx(async (ctx) => {
    const locked = await lockWebhook(ctx, service, id, {});
    await dropWaiting(ctx, id);
    await repo.remove(ctx, id);
    await webhooksChanged(ctx);
    const told = { type: 'WEBHOOK_DELETED', data: { url: locked.url }, before: locked } as const;
    await tell(ctx, locked, told, options.note);
  });
  return before;
}
