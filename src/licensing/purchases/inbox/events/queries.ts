import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readJson } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import type { ValuesOf } from '#kernel/db/record.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import type { ClaimedLicense } from '../claims/repository.ts';
import type { EventStatus } from '../outcome.ts';
import { inboundEventRecord } from '../record.ts';

/** An event of the inbox as staff sees it (cli.md section 2, InboundEvent). */
export type InboundEvent = ValuesOf<typeof inboundEventRecord>;

/** An event with all that is kept of it. */
export interface InboundEventDetails extends InboundEvent {
  paymentId: string | null;
  orderId: string | null;
  /** Those that carried the signature. */
  headers: Record<string, string>;
  /** As it was sent; null once it has been removed for its age. */
  body: string | null;
  licenses: ClaimedLicense[];
}

/** Which events a list holds; times are ISO 8601 UTC, `to` not included. */
export interface InboundEventFilter {
  status?: EventStatus | undefined;
  reason?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const TABLE = inboundEventRecord.table;

/** One event names whatever was bought together: who is confined to products sees none. */
function ofTenant(ctx: Ctx): Knex.QueryBuilder {
  const query = ctx.db.knex(TABLE).where({ tenant_id: ctx.tenantId });
  return scopeOf(ctx.actor, 'license_product') ? query.whereIn('id', []) : query;
}

/** One slice of an integration's events, newest first, and how many there are. */
export async function list(
  ctx: Ctx,
  configId: string,
  { status, reason, from, to, offset, limit }: InboundEventFilter & Slice,
): Promise<{ items: InboundEvent[]; total: number }> {
  const query = ofTenant(ctx).where({ config_id: configId });
  if (status !== undefined) query.where({ status });
  if (reason !== undefined) query.where({ reason });
  if (from !== undefined) query.where('received_at', '>=', from);
  if (to !== undefined) query.where('received_at', '<', to);
  const [counted] = await query.clone().count({ n: '*' });
  const rows = await query
    .select(...inboundEventRecord.written)
    .orderBy([
      { column: 'received_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .offset(offset)
    .limit(limit);
  return { items: rows.map(inboundEventRecord.read), total: Number(counted?.n ?? 0) };
}

/** An event of the caller's tenant; null when there is none. */
export async function find(ctx: Ctx, id: string): Promise<InboundEventDetails | null> {
  const { knex } = ctx.db;
  const row = await ofTenant(ctx).where({ id }).first();
  if (!row) return null;
  const claims: { licenses: string }[] = await knex('license_inbound_claims')
    .where({ event_id: id })
    .select('licenses');
  return {
    ...inboundEventRecord.read(row),
    paymentId: row.payment_id,
    orderId: row.order_id,
    headers: readJson(row.headers),
    body: row.body === '' ? null : Buffer.from(row.body, 'base64').toString('utf8'),
    licenses: claims.flatMap(({ licenses }) => readJson<ClaimedLicense[]>(licenses)),
  };
}
