import type { Ctx } from '#kernel/context.ts';
import type { ValuesOf } from '#kernel/db/record.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { inboundRefusalRecord } from '../record.ts';

/** Deliveries that were refused for one reason, from one address, within one hour; `hour` is its beginning, ISO time. */
export type CountedRefusal = ValuesOf<typeof inboundRefusalRecord>;

const TABLE = inboundRefusalRecord.table;

/** One slice of an integration's refusals, the newest first. */
export async function listRefusals(
  ctx: Ctx,
  configId: string,
  { offset, limit }: Slice,
): Promise<{ items: CountedRefusal[]; total: number }> {
  const query = ctx.db.knex(TABLE).where({ config_id: configId });
  const [counted] = await query.clone().count({ n: '*' });
  const rows: object[] = await query
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

const toRefusal = (row: object): CountedRefusal => {
  const refusal = inboundRefusalRecord.read(row);
  return { ...refusal, hour: `${refusal.hour}:00:00.000Z` };
};
