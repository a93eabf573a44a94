import type { Ctx } from '#kernel/context.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { normed, shopProductRecord, variantRecord } from '#storefront/catalog/products/index.ts';
import { PRICE_LIST_KINDS, type Price, type PriceList, priceListRecord, priceRecord } from './record.ts';

export const priceListRows = selection<PriceList>({
  from: ({ db }) => db.knex(priceListRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: priceListRecord.read,
  filters: {
    kind: filter.choice(PRICE_LIST_KINDS, { label: 'Kind', column: 'kind' }),
    active: filter.flag({ label: 'Active', column: 'active' }),
  },
  search: { placeholder: 'Name', by: ['name'] },
  sorts: { name: 'name', created: 'created_at', updated: 'updated_at' },
  initial: 'name',
});

/** A price with what it is of. */
export type PriceOf = Price & {
  readonly sku: string;
  readonly currency: string;
  readonly variantTitle: string;
  readonly productId: string;
  readonly productTitle: string;
};

interface PriceRow {
  readonly sku: string;
  readonly currency: string;
  readonly variant_title: string;
  readonly product_id: string;
  readonly product_title: string;
}

const readPrice = (row: PriceRow): PriceOf => ({
  ...priceRecord.read(row),
  sku: row.sku,
  currency: row.currency,
  variantTitle: row.variant_title,
  productId: row.product_id,
  productTitle: row.product_title,
});

/** Prices of lists; those of removed variants are left out. */
export const priceRows = selection<PriceOf, PriceRow>({
  from: ({ db }) =>
    db
      .knex({ r: priceRecord.table })
      .join({ v: variantRecord.table }, 'v.id', 'r.variant_id')
      .join({ p: shopProductRecord.table }, 'p.id', 'v.product_id')
      .whereNull('v.deleted_at')
      .whereNotNull('r.price_list_id'),
  id: 'r.id',
  scope: 'none',
  columns: [
    'r.*',
    'v.sku',
    'v.currency',
    'v.title as variant_title',
    'v.product_id',
    'p.title as product_title',
  ],
  read: readPrice,
  filters: {
    priceListId: filter.lookup({
      label: 'Price list',
      column: 'r.price_list_id',
      resource: 'shop-price-lists',
    }),
    variantId: filter.lookup({ label: 'Variant', column: 'r.variant_id', resource: 'shop-variants' }),
    sku: filter.text({ label: 'SKU', column: (query, sku) => void query.where('v.sku_norm', normed(sku)) }),
  },
  search: {
    placeholder: 'SKU or product',
    by: (query, text) =>
      void query.where((any) => {
        for (const column of ['v.sku', 'p.title'])
          any.orWhere((each) => matching(each, column, text, 'contains'));
      }),
  },
  sorts: { sku: 'v.sku_norm', created: 'r.created_at', price: 'r.unit_cents', quantity: 'r.min_quantity' },
  initial: 'sku',
});

/** How many prices each of some lists has. */
export async function countPrices({ db }: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows: { price_list_id: string; count: number | string }[] = await db
    .knex(priceRecord.table)
    .whereIn('price_list_id', [...ids])
    .groupBy('price_list_id')
    .select('price_list_id', db.knex.raw('count(*) as count'));
  return new Map(rows.map(({ price_list_id, count }) => [price_list_id, Number(count)]));
}

/** Id of the variant with an SKU that is not removed; null when there is none. */
export async function variantOfSku({ db }: Ctx, sku: string): Promise<string | null> {
  const row: { id: string } | undefined = await db
    .knex(variantRecord.table)
    .where({ sku_norm: normed(sku), deleted_at: null })
    .first('id');
  return row?.id ?? null;
}
