import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readJson } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import type { ValuesOf } from '#kernel/db/record.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import type { ClaimedLicense } from '../claims/repository.ts';
import { EVENT_STATUSES } from '../outcome.ts';
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

const TABLE = inboundEventRecord.table;

/** One event names whatever was bought together: who is confined to products sees none. */
function narrowed(ctx: Ctx, query: Knex.QueryBuilder): Knex.QueryBuilder {
  query.where({ tenant_id: ctx.tenantId });
  return scopeOf(ctx.actor, 'license_product') ? query.whereIn('id', []) : query;
}

/** Inbound events that the actor may see. */
export const eventRows = selection<InboundEvent>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: (query, ctx) => void narrowed(ctx, query),
  columns: inboundEventRecord.written,
  read: inboundEventRecord.read,
  filters: {
    configId: filter.lookup({ label: 'Integration', column: 'config_id', resource: 'integrations' }),
    status: filter.choice(EVENT_STATUSES, { label: 'Status', column: 'status' }),
    reason: filter.text({ label: 'Reason', column: 'reason' }),
    eventName: filter.anyOf({ label: 'Event', column: 'event_name' }),
    '': filter.times({ label: 'Received', column: 'received_at' }),
  },
  search: {
    placeholder: 'Id at the processor, payment or order',
    by: ['processor_event_id', 'payment_id', 'order_id'],
  },
  sorts: { received: 'received_at', status: 'status', licensesCreated: 'licenses_created' },
  initial: '-received',
});

/** Events that wait for a mapping. */
export interface UnmappedOfIntegration {
  readonly configId: string;
  /** Of the integration. */
  readonly name: string;
  readonly reason: string;
  readonly count: number;
}

/** Integrations with events that wait for a mapping, wholly or in part, of what the actor may see; most events first. */
export async function unmappedByIntegration(ctx: Ctx, most: number): Promise<UnmappedOfIntegration[]> {
  const waiting = narrowed(ctx, ctx.db.knex(TABLE))
    .whereIn('reason', ['UNMAPPED', 'PARTLY_UNMAPPED'])
    .whereIn('status', ['FAILED', 'PROCESSED'])
    .groupBy('config_id', 'reason')
    .select('config_id', 'reason')
    .count({ n: '*' });
  const rows: { config_id: string; name: string; reason: string; n: unknown }[] = await ctx.db.knex
    .from(waiting.as('e'))
    .join('license_inbound_configs as c', 'c.id', 'e.config_id')
    .whereNull('c.deleted_at')
    .orderBy([{ column: 'e.n', order: 'desc' }, 'c.name', 'e.reason'])
    .limit(most)
    .select('e.config_id', 'c.name', 'e.reason', 'e.n');
  return rows.map(({ config_id, name, reason, n }) => ({
    configId: config_id,
    name,
    reason,
    count: Number(n),
  }));
}

/** An event of the caller's tenant; null when there is none. */
export async function find(ctx: Ctx, id: string): Promise<InboundEventDetails | null> {
  const { knex } = ctx.db;
  const row = await narrowed(ctx, knex(TABLE)).where({ id }).first();
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
