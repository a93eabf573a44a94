import type { Ctx } from '#kernel/context.ts';

/** Questions about the inbox of the whole installation, whatever tenant: for doctor and status. */

const EVENTS = 'license_inbound_events as e';

/** Events that are stored and not processed yet; `dueBefore` (ISO time) counts those that should have been by then. */
export async function countWaiting(ctx: Ctx, dueBefore?: string): Promise<number> {
  // Written out: SQLite counts along the index of what waits only where the query itself says so.
  const query = ctx.db.knex(EVENTS).whereRaw("e.status = 'RECEIVED'");
  if (dueBefore !== undefined) query.where('e.next_attempt_at', '<', dueBefore);
  const [counted] = await query.count({ n: '*' });
  return Number(counted?.n ?? 0);
}

/** Failed events of one integration for one reason. */
export interface FailedEvents {
  configId: string;
  name: string;
  reason: string;
  count: number;
  /** Id of the last one. */
  lastId: string;
}

const live = (ctx: Ctx) =>
  ctx.db.knex(EVENTS).join('license_inbound_configs as c', 'c.id', 'e.config_id').whereNull('c.deleted_at');

/** Failed events by integration and reason; those that lack a mapping are told by `listUnmapped`. */
export async function listFailed(ctx: Ctx): Promise<FailedEvents[]> {
  const rows: Record<string, unknown>[] = await live(ctx)
    .where('e.status', 'FAILED')
    .whereNot('e.reason', 'UNMAPPED')
    .groupBy('e.config_id', 'c.name', 'e.reason')
    .orderBy(['c.name', 'e.reason'])
    .select('e.config_id', 'c.name', 'e.reason')
    .count({ n: '*' })
    .max({ last: 'e.id' });
  return rows.map((row) => ({
    configId: String(row.config_id),
    name: String(row.name),
    reason: String(row.reason),
    count: Number(row.n),
    lastId: String(row.last),
  }));
}

/** An event with products that no mapping names. */
export interface UnmappedEvents {
  configId: string;
  name: string;
  count: number;
}

/** Configurations with events that wait for a mapping, wholly or in part. */
export async function listUnmapped(ctx: Ctx): Promise<UnmappedEvents[]> {
  const rows: Record<string, unknown>[] = await live(ctx)
    .whereIn('e.reason', ['UNMAPPED', 'PARTLY_UNMAPPED'])
    .whereIn('e.status', ['FAILED', 'PROCESSED'])
    .groupBy('e.config_id', 'c.name')
    .orderBy('c.name')
    .select('e.config_id', 'c.name')
    .count({ n: '*' });
  return rows.map((row) => ({
    configId: String(row.config_id),
    name: String(row.name),
    count: Number(row.n),
  }));
}

/** Enabled integrations that sell nothing: every purchase of theirs would be unmapped. */
export async function listWithoutMapping(ctx: Ctx): Promise<{ configId: string; name: string }[]> {
  const { knex } = ctx.db;
  const rows: { id: string; name: string }[] = await knex('license_inbound_configs as c')
    .where('c.enabled', true)
    .whereNull('c.deleted_at')
    .whereNotExists(
      knex('license_inbound_mappings as m').whereRaw('m.config_id = c.id').select(knex.raw('1')),
    )
    .orderBy('c.name')
    .select('c.id', 'c.name');
  return rows.map(({ id, name }) => ({ configId: id, name }));
}
