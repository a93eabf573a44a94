import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJson, readJsonOrNull, writeJson, writeJsonOrNull } from '#kernel/db/columns.ts';
import type { WebhookServiceName } from '../service.ts';
import type { Webhook } from '../webhook.ts';
import { namesOfHeaders } from './secrets.ts';

/** A row as stored; what is sealed stays sealed. */
interface Row {
  id: string;
  service: WebhookServiceName;
  tenant_id: string;
  name: string;
  url: string;
  events: string;
  product_ids: string | null;
  redact_email: boolean | number;
  headers_enc: string | null;
  secret_enc: string;
  previous_until: string | null;
  enabled: boolean | number;
  disabled_at: string | null;
  disabled_reason: string | null;
  consecutive_failures: number;
  created_at: string;
  updated_at: string;
}

/** The columns that an administrator's change may write. */
export type Columns = Partial<
  Omit<Row, 'id' | 'service' | 'tenant_id' | 'events' | 'product_ids' | 'created_at'> & {
    events: readonly string[];
    product_ids: readonly string[] | null;
    previous_secret_enc: string | null;
  }
>;

const TABLE = 'webhooks';

const own = (ctx: Ctx, service: WebhookServiceName) => ({ service, tenant_id: ctx.tenantId });

export async function insert(
  ctx: Ctx,
  webhook: Omit<Webhook, 'headerNames'>,
  sealed: { secret: string; headers: string | null },
): Promise<void> {
  await ctx.db.knex(TABLE).insert({
    id: webhook.id,
    service: webhook.service,
    tenant_id: webhook.tenantId,
    name: webhook.name,
    url: webhook.url,
    events: writeJson(webhook.events),
    product_ids: writeJsonOrNull(webhook.productIds),
    redact_email: webhook.redactEmail,
    headers_enc: sealed.headers,
    secret_enc: sealed.secret,
    enabled: webhook.enabled,
    disabled_at: webhook.disabledAt,
    disabled_reason: webhook.disabledReason,
    created_by: ctx.actor.label,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  });
}

/** The webhook, or null: unknown, of another tenant, or of the other service. */
export async function find(ctx: Ctx, service: WebhookServiceName, id: string): Promise<Webhook | null> {
  const row: Row | undefined = await ctx.db
    .knex(TABLE)
    .where({ id, ...own(ctx, service) })
    .first();
  return row ? toWebhook(ctx, row) : null;
}

/**
 * As `find`, locked until the end of the transaction against other changes, not against those who write events for it:
 * they hold its key, and a change of a license must not wait for one of a webhook.
 */
export async function lock(ctx: Ctx, service: WebhookServiceName, id: string): Promise<Webhook | null> {
  const row: Row | undefined = await ctx.db
    .knex(TABLE)
    .where({ id, ...own(ctx, service) })
    .forNoKeyUpdate()
    .first();
  return row ? toWebhook(ctx, row) : null;
}

/** One page, oldest first. */
export async function list(
  ctx: Ctx,
  service: WebhookServiceName,
  filter: { enabled?: boolean | undefined; offset: number; limit: number },
): Promise<{ items: Webhook[]; total: number }> {
  const query = ctx.db.knex(TABLE).where(own(ctx, service));
  if (filter.enabled !== undefined) query.where({ enabled: filter.enabled });
  const [counted] = await query.clone().count({ n: '*' });
  const rows: Row[] = await query.orderBy(['created_at', 'id']).offset(filter.offset).limit(filter.limit);
  return { items: rows.map((row) => toWebhook(ctx, row)), total: Number(counted?.n ?? 0) };
}

/** Writes the columns that are given, and `updated_at`. */
export async function update(ctx: Ctx, id: string, columns: Columns): Promise<void> {
  const { events, product_ids, ...rest } = columns;
  await ctx.db
    .knex(TABLE)
    .where({ id })
    .update({
      ...rest,
      ...(events && { events: writeJson(events) }),
      ...(product_ids !== undefined && { product_ids: writeJsonOrNull(product_ids) }),
      updated_at: ctx.now(),
    });
}

/** The sealed secret, to see by whether it was rotated meanwhile. */
export async function sealedSecret(
  ctx: Ctx,
  service: WebhookServiceName,
  id: string,
): Promise<string | null> {
  const row: Pick<Row, 'secret_enc'> | undefined = await ctx.db
    .knex(TABLE)
    .where({ id, ...own(ctx, service) })
    .first('secret_enc');
  return row?.secret_enc ?? null;
}

/** Puts a new secret in the place of the one that was seen. @returns false when that one is the current no more */
export async function exchangeSecret(
  ctx: Ctx,
  id: string,
  seen: string,
  next: { secret: string; previous: string; previousUntil: string },
): Promise<boolean> {
  const changed = await ctx.db.knex(TABLE).where({ id, secret_enc: seen }).update({
    secret_enc: next.secret,
    previous_secret_enc: next.previous,
    previous_until: next.previousUntil,
    updated_at: ctx.now(),
  });
  return changed === 1;
}

export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id }).delete();
}

/** Deletes up to `limit` deliveries of a webhook with their attempts. @returns how many */
export const removeDeliveries = (ctx: Ctx, webhookId: string, limit: number): Promise<number> =>
  ctx.db
    .knex('webhook_deliveries')
    .whereIn(
      'id',
      ctx.db.knex('webhook_deliveries').where({ webhook_id: webhookId }).select('id').limit(limit),
    )
    .delete();

const toWebhook = (ctx: Ctx, row: Row): Webhook => ({
  id: row.id,
  service: row.service,
  tenantId: row.tenant_id,
  name: row.name,
  url: row.url,
  events: readJson(row.events),
  productIds: readJsonOrNull(row.product_ids),
  redactEmail: readFlag(row.redact_email),
  headerNames: namesOfHeaders(ctx, row.id, row.headers_enc),
  enabled: readFlag(row.enabled),
  disabledAt: row.disabled_at,
  disabledReason: row.disabled_reason,
  consecutiveFailures: row.consecutive_failures,
  // A past one signs nothing any more.
  previousUntil: row.previous_until !== null && row.previous_until > ctx.now() ? row.previous_until : null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
