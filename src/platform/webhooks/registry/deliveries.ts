import type { Ctx } from '#kernel/context.ts';
import type { WebhookService } from '../service.ts';
import type { Attempt, DeliveryWithBody } from '../webhook.ts';
import { noDelivery } from './errors.ts';
import * as queries from './queries.ts';
import { get } from './webhooks.ts';

/** A delivery with what was sent and what came back. */
export type DeliveryRecord = DeliveryWithBody & { log: Attempt[] };

/**
 * One page of a webhook's deliveries with their attempts, newest first.
 *
 * @throws AppError NOT_FOUND for an unknown webhook
 */
export async function listDeliveries(
  ctx: Ctx,
  service: WebhookService,
  webhookId: string,
  filter: queries.DeliveryFilter & { offset: number; limit: number },
): Promise<{ items: DeliveryRecord[]; total: number }> {
  await get(ctx, service, webhookId);
  const { items, total } = await queries.listDeliveries(ctx, webhookId, filter);
  const ids = items.map(({ id }) => id);
  const logs = await queries.attemptsOf(ctx, ids);
  return { items: items.map((item) => ({ ...item, log: logs.get(item.id) ?? [] })), total };
}

/** @throws AppError NOT_FOUND */
export async function getDelivery(ctx: Ctx, service: WebhookService, id: string): Promise<DeliveryRecord> {
  const found = await queries.findDelivery(ctx, service.name, id);
  if (found === null) throw noDelivery(id);
  return { ...found, log: (await queries.attemptsOf(ctx, [id])).get(id) ?? [] };
}
