import type { Ctx } from '#kernel/context.ts';
import type { Slice } from '#kernel/service/pagination.ts';

/** Deliveries that were refused for one reason, from one address, within one hour. */
export interface CountedRefusal {
  /** Its beginning, ISO time. */
  hour: string;
  /** As the answer says it (D102). */
  reason: string;
  ip: string;
  /** In words for staff, of the last one; never a secret or a signature. */
  detail: string | null;
  count: number;
  lastAt: string;
}

interface Row {
  hour: string;
  reason: string;
  ip: string;
  detail: string | null;
  count: number | string;
  last_at: string;
}

const TABLE = 'license_inbound_refusals';

/** One slice of an integration's refusals, the newest first. */
export async function listRefusals(
  ctx: Ctx,
  configId: string,
  { offset, limit }: Slice,
): Promise<{ items: CountedRefusal[]; total: number }> {
  const query = ctx.db.knex(TABLE).where({ config_id: configId });
  const [counted] = await query.clone().count({ n: '*' });
  const rows: Row[] = await query
    .orderBy([
      { column: 'last_at', order: 'desc' },
      { column: 'hour', order: 'desc' },
      { column: 'reason' },
      { column: 'ip' },
    ])
    .offset(offset)
    .limit(limit);
  return { items: rows.map(toRefusal), total: Number(counted?.n ?? 0) };
}

/** How many deliveries an integration refused since a time (ISO). */
export async function countRefusals(ctx: Ctx, configId: string, since: string): Promise<number> {
  const [found] = await ctx.db
    .knex(TABLE)
    .where({ config_id: configId })
    .andWhere('last_at', '>=', since)
    .sum({ n: 'count' });
  return Number(found?.n ?? 0);
}

const toRefusal = (row: Row): CountedRefusal => ({
  hour: `${row.hour}:00:00.000Z`,
  reason: row.reason,
  ip: row.ip,
  detail: row.detail,
  count: Number(row.count),
  lastAt: row.last_at,
});
