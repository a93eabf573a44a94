import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { dailyTotalRecord } from '../record.ts';
import type { Counts } from './counts.ts';

const TABLE = dailyTotalRecord.table;

/** Which of these products exist; they stay until the transaction ends. */
export async function lockProducts(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await ctx.db
    .knex('license_products')
    .whereIn('id', [...ids])
    .orderBy('id')
    .forKeyShare()
    .select('id');
  return new Set(rows.map((row) => row.id));
}

interface Row extends Counts {
  product_id: string;
  day: string;
}

const upsert = statement<Row>((q, p) =>
  q('license_daily_totals')
    .insert(p.row('product_id', 'day', 'validations', 'denials', 'heartbeats'))
    .onConflict(['product_id', 'day'])
    .merge(
      Object.fromEntries(
        ['validations', 'denials', 'heartbeats'].map((name) => [
          name,
          q.raw('?? + excluded.??', [`${TABLE}.${name}`, name]),
        ]),
      ),
    ),
);

/** Adds to the counters of a product and day; the product is locked. */
export async function addDailyTotals(
  ctx: Ctx,
  { productId, day, validations, denials, heartbeats }: Counts & { productId: string; day: string },
): Promise<void> {
  await upsert.run(ctx.db, { product_id: productId, day, validations, denials, heartbeats });
}
