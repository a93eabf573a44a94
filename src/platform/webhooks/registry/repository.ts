import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import type { PartOf } from '#kernel/db/record.ts';
import { visibleByList } from '#kernel/db/visible.ts';
import { webhookRecord } from '../record.ts';
import type { WebhookServiceName } from '../service.ts';
import type { Webhook } from '../webhook.ts';
import { namesOfHeaders } from './secrets.ts';

/** What an administrator's change may write. */
export type Columns = Omit<PartOf<typeof webhookRecord>, 'id' | 'service' | 'tenantId' | 'createdAt'>;

/** A row; what is sealed stays sealed. */
export type Row = { headers_enc: string | null };

const TABLE = webhookRecord.table;

const own = (ctx: Ctx, service: WebhookServiceName): Knex.QueryBuilder =>
  visibleByList(ctx, ctx.db.knex(TABLE).where({ service, tenant_id: ctx.tenantId }), 'product_ids');

export async function insert(
  ctx: Ctx,
  webhook: Omit<Webhook, 'headerNames'>,
  sealed: { secret: string; headers: string | null },
): Promise<void> {
  const beside = { headersEnc: sealed.headers, secretEnc: sealed.secret, createdBy: ctx.actor.label };
  await ctx.db.knex(TABLE).insert(webhookRecord.write(webhook, beside));
}

/** The webhook, or null: unknown, of another tenant, or of the other service. */
export async function find(ctx: Ctx, service: WebhookServiceName, id: string): Promise<Webhook | null> {
  const row: Row | undefined = await own(ctx, service).where({ id }).first();
  return row ? toWebhook(ctx, row) : null;
}

/**
 * As `find`, locked until the end of the transaction against other changes, not against those who write events for it:
 * they hold its key, and a change of a license must not wait for one of a webhook.
 */
export async function lock(ctx: Ctx, service: WebhookServiceName, id: string): Promise<Webhook | null> {
  const row: Row | undefined = await own(ctx, service).where({ id }).forNoKeyUpdate().first();
  return row ? toWebhook(ctx, row) : null;
}

/** Writes the columns that are given, and `updated_at`. */
export async function update(ctx: Ctx, id: string, columns: Columns): Promise<void> {
  await ctx.db
    .knex(TABLE)
    .where({ id })
    .update(webhookRecord.part({ ...columns, updatedAt: ctx.now() }));
}

/** The sealed secret, to see by whether it was rotated meanwhile. */
export async function sealedSecret(
  ctx: Ctx,
  service: WebhookServiceName,
  id: string,
): Promise<string | null> {
  const row: { secret_enc: string } | undefined = await own(ctx, service).where({ id }).first('secret_enc');
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

/** As staff sees it. */
export const toWebhook = (ctx: Ctx, row: Row): Webhook => {
  const webhook = webhookRecord.read(row);
  const { previousUntil } = webhook;
  return {
    ...webhook,
    headerNames: namesOfHeaders(ctx, webhook.id, row.headers_enc),
    // A past one signs nothing any more.
    previousUntil: previousUntil !== null && previousUntil > ctx.now() ? previousUntil : null,
  };
};
