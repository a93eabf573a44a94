import type { Ctx } from '#kernel/context.ts';
import type { WebhookService } from '../service.ts';
import type { DeliveryRecord } from '../webhook.ts';
import { noDelivery } from './errors.ts';
import * as queries from './queries.ts';

/** @throws AppError NOT_FOUND */
export async function getDelivery(ctx: Ctx, service: WebhookService, id: string): Promise<DeliveryRecord> {
  const found = await queries.findDelivery(ctx, service.name, id);
  if (found === null) throw noDelivery(id);
  return { ...found, log: (await queries.attemptsOf(ctx, [id])).get(id) ?? [] };
}
