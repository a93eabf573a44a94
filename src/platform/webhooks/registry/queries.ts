import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { visibleByList } from '#kernel/db/visible.ts';
import { attemptRecord, type DeliveryState, deliveryRecord } from '../record.ts';
import type { WebhookServiceName } from '../service.ts';
import type { Attempt, Delivery, DeliveryWithBody } from '../webhook.ts';

/** Which deliveries; all of the webhook when empty. */
export interface DeliveryFilter {
  events?: readonly string[] | undefined;
  states?: readonly DeliveryState[] | undefined;
  /** ISO time: those whose event happened then or later. */
  from?: string | undefined;
  /** ISO time: those whose event happened before. */
  to?: string | undefined;
}

const TABLE = deliveryRecord.table;

/** One page of a webhook's deliveries, newest first. */
export async function listDeliveries(
  ctx: Ctx,
  webhookId: string,
  filter: DeliveryFilter & { offset: number; limit: number },
): Promise<{ items: DeliveryWithBody[]; total: number }> {
  const query = matching(ctx, webhookId, filter);
  const [counted] = await query.clone().count({ n: '*' });
  const rows: object[] = await query
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .offset(filter.offset)
    .limit(filter.limit);
  return { items: rows.map(deliveryRecord.read), total: Number(counted?.n ?? 0) };
}

/** The delivery, or null: unknown, of another tenant, or of a webhook of the other service. */
export async function findDelivery(
  ctx: Ctx,
  service: WebhookServiceName,
  id: string,
): Promise<DeliveryWithBody | null> {
  const row: object | undefined = await owned(ctx, service, id).first(`${TABLE}.*`);
  return row ? deliveryRecord.read(row) : null;
}

/** As findDelivery, locked until the end of the transaction. */
export async function lockDelivery(
  ctx: Ctx,
  service: WebhookServiceName,
  id: string,
): Promise<DeliveryWithBody | null> {
  const row: object | undefined = await owned(ctx, service, id).forUpdate(TABLE).first(`${TABLE}.*`);
  return row ? deliveryRecord.read(row) : null;
}

function owned(ctx: Ctx, service: WebhookServiceName, id: string): Knex.QueryBuilder {
  const deliveries = ctx.db
    .knex(TABLE)
    .join('webhooks', 'webhooks.id', `${TABLE}.webhook_id`)
    .where({ [`${TABLE}.id`]: id, [`${TABLE}.tenant_id`]: ctx.tenantId, 'webhooks.service': service });
  return visibleByList(ctx, deliveries, 'webhooks.product_ids');
}

/** Attempts of deliveries, by delivery, in the order in which they were made. */
export async function attemptsOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Attempt[]>> {
  const rows = await ctx.db
    .knex('webhook_attempts')
    .whereIn('delivery_id', [...ids])
    .orderBy(['delivery_id', 'run', 'n']);
  const attempts = new Map<string, Attempt[]>(ids.map((id) => [id, []]));
  for (const row of rows) attempts.get(row.delivery_id)?.push(attemptRecord.read(row));
  return attempts;
}

/** What a range of deliveries holds: those that may be sent again, and those still on their way. */
export async function countRange(
  ctx: Ctx,
  webhookId: string,
  filter: DeliveryFilter,
): Promise<{ ended: number; pending: number }> {
  const { states: _states, ...range } = filter;
  const [ended] = await replayable(ctx, webhookId, filter).count({ n: '*' });
  const [pending] = await matching(ctx, webhookId, { ...range, states: ['PENDING'] }).count({ n: '*' });
  return { ended: Number(ended?.n ?? 0), pending: Number(pending?.n ?? 0) };
}

/** The next ended deliveries of a range after a place, in the order of their events, locked. */
export async function lockRange(
  ctx: Ctx,
  webhookId: string,
  filter: DeliveryFilter,
  after: { at: string; id: string },
  limit: number,
): Promise<Delivery[]> {
  const rows: object[] = await replayable(ctx, webhookId, filter)
    .where('created_at', '>=', after.at)
    .where((later) => later.where('created_at', '>', after.at).orWhere('id', '>', after.id))
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .forUpdate();
  return rows.map(deliveryRecord.read);
}

/** A test is no event; whoever wants it again sends another one. */
const replayable = (ctx: Ctx, webhookId: string, filter: DeliveryFilter): Knex.QueryBuilder =>
  matching(ctx, webhookId, filter).whereNot({ state: 'PENDING' }).where({ is_test: false });

function matching(ctx: Ctx, webhookId: string, filter: DeliveryFilter): Knex.QueryBuilder {
  const { events, states, from, to } = filter;
  const query = ctx.db.knex(TABLE).where({ webhook_id: webhookId, tenant_id: ctx.tenantId });
  if (events?.length) query.whereIn('event', [...events]);
  if (states?.length) query.whereIn('state', [...states]);
  if (from !== undefined) query.where('created_at', '>=', from);
  if (to !== undefined) query.where('created_at', '<', to);
  return query;
}

/** Writes a test as it ended. */
export async function insertTest(ctx: Ctx, delivery: DeliveryWithBody): Promise<void> {
  await ctx.db.knex(TABLE).insert(deliveryRecord.write(delivery, { tenantId: ctx.tenantId }));
}
