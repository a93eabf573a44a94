import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJson } from '#kernel/db/columns.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import type { ClaimedLicense } from '../claims/repository.ts';
import type { EventStatus } from '../outcome.ts';

/** An event of the inbox as staff sees it (cli.md section 2, InboundEvent). */
export interface InboundEvent {
  id: string;
  configId: string;
  processorEventId: string;
  eventName: string;
  status: EventStatus;
  /** Why it failed, was ignored, or is not done with. */
  reason: string | null;
  error: string | null;
  licensesCreated: number;
  /** Products that no mapping names although others of the event were mapped. */
  unmapped: string[];
  attempts: number;
  /** When it is taken up again. */
  nextAttemptAt: string | null;
  receivedAt: string;
  processedAt: string | null;
  /** It was kept on the disk while the database was away. */
  spooled: boolean;
}

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

const TABLE = 'license_inbound_events';
const columns = [
  'id',
  'config_id',
  'processor_event_id',
  'event_name',
  'status',
  'reason',
  'error',
  'licenses_created',
  'unmapped',
  'attempts',
  'next_attempt_at',
  'received_at',
  'processed_at',
  'spooled',
];

/** One slice of an integration's events, newest first, and how many there are. */
export async function list(
  ctx: Ctx,
  configId: string,
  { status, reason, from, to, offset, limit }: InboundEventFilter & Slice,
): Promise<{ items: InboundEvent[]; total: number }> {
  const query = ctx.db.knex(TABLE).where({ config_id: configId, tenant_id: ctx.tenantId });
  if (status !== undefined) query.where({ status });
  if (reason !== undefined) query.where({ reason });
  if (from !== undefined) query.where('received_at', '>=', from);
  if (to !== undefined) query.where('received_at', '<', to);
  const [counted] = await query.clone().count({ n: '*' });
  const rows = await query
    .select(...columns)
    .orderBy([
      { column: 'received_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .offset(offset)
    .limit(limit);
  return { items: rows.map(toEvent), total: Number(counted?.n ?? 0) };
}

/** An event of the caller's tenant; null when there is none. */
export async function find(ctx: Ctx, id: string): Promise<InboundEventDetails | null> {
  const { knex } = ctx.db;
  const row = await knex(TABLE).where({ id, tenant_id: ctx.tenantId }).first();
  if (!row) return null;
  const claims: { licenses: string }[] = await knex('license_inbound_claims')
    .where({ event_id: id })
    .select('licenses');
  return {
    ...toEvent(row),
    paymentId: row.payment_id,
    orderId: row.order_id,
    headers: readJson(row.headers),
    body: row.body === '' ? null : Buffer.from(row.body, 'base64').toString('utf8'),
    licenses: claims.flatMap(({ licenses }) => readJson<ClaimedLicense[]>(licenses)),
  };
}

const toEvent = (row: Record<string, unknown>): InboundEvent => ({
  id: row.id as string,
  configId: row.config_id as string,
  processorEventId: row.processor_event_id as string,
  eventName: row.event_name as string,
  status: row.status as EventStatus,
  reason: row.reason as string | null,
  error: row.error as string | null,
  licensesCreated: row.licenses_created as number,
  unmapped: readJson(row.unmapped),
  attempts: row.attempts as number,
  nextAttemptAt: row.next_attempt_at as string | null,
  receivedAt: row.received_at as string,
  processedAt: row.processed_at as string | null,
  spooled: readFlag(row.spooled),
});
