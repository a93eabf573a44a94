import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { skipWaiting } from '../deliveries/changes.ts';
import type { WebhookService } from '../service.ts';
import type { Webhook } from '../webhook.ts';
import { type Change, type ChangeOptions, changeWebhook } from './change.ts';

const LONGEST_NOTE = 500;
/** Said where nobody gave a reason. */
const BY_STAFF = 'by staff';

/**
 * Sends events to a webhook again, from now on: its failures are forgotten, and nothing that happened meanwhile is sent
 * (D119). Again is no error and changes nothing.
 *
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED
 */
export const enable = (
  ctx: Ctx,
  service: WebhookService,
  id: string,
  options: ChangeOptions = {},
): Promise<Webhook> =>
  changeWebhook(ctx, service, id, options, async (_ctx, before) => (before.enabled ? null : enabling()));

/**
 * Sends nothing to a webhook any more; what waits is skipped (D119). Again is no error and changes nothing.
 *
 * @param options `note` is the reason, as lists show it; at most 500 characters
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED
 */
export async function disable(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  options: ChangeOptions = {},
): Promise<Webhook> {
  if ((options.note?.length ?? 0) > LONGEST_NOTE)
    throw invalidField('note', `must have at most ${LONGEST_NOTE} characters`);
  return changeWebhook(ctx, service, id, options, async (ctx, before) =>
    before.enabled ? disabling(ctx, id, options.note) : null,
  );
}

/** The change that lets events through again. */
export const enabling = (): Change => ({
  type: 'WEBHOOK_ENABLED',
  columns: { enabled: true, disabledAt: null, disabledReason: null, consecutiveFailures: 0 },
});

/** The change that stops events, in its transaction. */
export async function disabling(ctx: Ctx, id: string, note?: string | null): Promise<Change> {
  const skipped = await skipWaiting(ctx, id);
  return {
    type: 'WEBHOOK_DISABLED',
    columns: { enabled: false, disabledAt: ctx.now(), disabledReason: note || BY_STAFF },
    data: { skipped },
  };
}
