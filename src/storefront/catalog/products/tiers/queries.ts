import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import { variantRecord } from '../record.ts';
import type { TierOf } from '../whole.ts';

interface TierRow {
  readonly product_id: string;
  readonly variant_id: string;
  readonly min_quantity: number;
  readonly unit_cents: number | string;
}

/** Public quantity breaks of variants, which no price list has; `q` begins the query. */
const tiersOf = (q: Knex): Knex.QueryBuilder =>
  q({ t: 'price_list_prices' })
    .join({ v: variantRecord.table }, 'v.id', 't.variant_id')
    .whereNull('t.price_list_id')
    .orderBy(['t.variant_id', 't.min_quantity'])
    .select('v.product_id', 't.variant_id', 't.min_quantity', 't.unit_cents');

const tierIn = (row: TierRow): TierOf => ({
  variantId: row.variant_id,
  minQuantity: Number(row.min_quantity),
  unitCents: Number(row.unit_cents),
});

const tiersOfProduct = statement<{ id: string }, TierRow>((q, p) =>
  tiersOf(q).where('v.product_id', p('id')),
);

/** Public quantity breaks of the variants of products, by the ids of the products. */
export async function tiersFor(
  db: Ctx['db'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly TierOf[]>> {
  const rows: TierRow[] = await tiersOf(db.knex).whereIn('v.product_id', [...ids]);
  return new Map(
    [...Map.groupBy(rows, ({ product_id }) => product_id)].map(([id, some]) => [id, some.map(tierIn)]),
  );
}

/** Those of the variants of one product. */
export const tiersOfOne = async (db: Ctx['db'], id: string): Promise<TierOf[]> =>
  (await tiersOfProduct.all(db, { id })).map(tierIn);
