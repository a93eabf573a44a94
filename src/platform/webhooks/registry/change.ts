import type { Ctx } from '#kernel/context.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { skipRest, webhooksChanged } from '../deliveries/changes.ts';
import { resourceOf, type WebhookEventName, type WebhookFacts, webhookEvents } from '../events.ts';
import type { WebhookService } from '../service.ts';
import type { Webhook } from '../webhook.ts';
import { noWebhook } from './errors.ts';
import * as repo from './repository.ts';

/** How a change is made. */
export interface ChangeOptions {
  /** `updatedAt` of the state that the change was made on; an older one is refused. */
  ifMatch?: string | undefined;
  /** Why, for the timeline. */
  note?: string | null | undefined;
}

/** One change: what is written, and the line of the timeline. */
export interface Change {
  type: WebhookEventName;
  columns: repo.Columns;
  data?: WebhookFacts;
}

/** What is told of a change. */
interface Told extends Pick<Change, 'type' | 'data'> {
  before?: object;
  after?: object;
}

/**
 * Changes a webhook: locks it, writes, tells the writers of events, and tells the audit log, all or nothing. Of
 * one that is or was disabled, what still waits from before is skipped in small steps: before it may be enabled again,
 * and after it was disabled (D119).
 *
 * @param decide what changes, by the locked state; null for nothing
 * @throws AppError NOT_FOUND; PRECONDITION_FAILED when `ifMatch` is older than the stored state; what `decide` throws
 */
export async function changeWebhook(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  options: ChangeOptions,
  decide: (ctx: Ctx, before: Webhook) => Promise<Change | null>,
): Promise<Webhook> {
  const skipLeft = async (webhook: Webhook | null): Promise<void> => {
    if (webhook?.disabledAt && !isRehearsal(ctx)) await skipRest(ctx, id, webhook.disabledAt);
  };
  await skipLeft(await repo.find(ctx, service.name, id));
  const changed = await ctx.tx(async (ctx) => {
    const before = await lockWebhook(ctx, service, id, options);
    const change = await decide(ctx, before);
    if (change === null) return before;
    await repo.update(ctx, id, change.columns);
    await webhooksChanged(ctx);
    const after = (await repo.find(ctx, service.name, id)) ?? before;
    await tell(ctx, after, { ...change, before, after }, options.note);
    return after;
  });
  await skipLeft(changed);
  return changed;
}

/** @throws AppError NOT_FOUND, PRECONDITION_FAILED */
export async function lockWebhook(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  { ifMatch }: ChangeOptions,
): Promise<Webhook> {
  const before = await repo.lock(ctx, service.name, id);
  if (before === null) throw noWebhook(id);
  requireUnchanged(id, before.updatedAt, ifMatch);
  return before;
}

/** Tells the audit log. @param note why, as somebody said it */
export const tell = (
  ctx: Ctx,
  { id, name, service }: Pick<Webhook, 'id' | 'name' | 'service'>,
  { type, data, before, after }: Told,
  note?: string | null,
): Promise<void> =>
  webhookEvents.tell(
    ctx,
    type,
    id,
    { name, ...data, ...(note && { note }) },
    { target: resourceOf[service], before, after, note },
  );
