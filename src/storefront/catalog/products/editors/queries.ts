import type { Ctx } from '#kernel/context.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import {
  normed,
  PRODUCT_STATUSES,
  shopProductRecord,
  tagRecord,
  type Variant,
  variantRecord,
} from '../record.ts';

/** Variants in the order of their products, the newest of those first, with filters of both. */
export const gridRows = selection<Variant>({
  from: ({ db }) =>
    db
      .knex({ v: variantRecord.table })
      .join({ p: shopProductRecord.table }, 'p.id', 'v.product_id')
      .where({ 'v.deleted_at': null }),
  id: 'v.id',
  scope: 'none',
  columns: ['v.*'],
  read: variantRecord.read,
  filters: {
    productId: filter.lookup({
      label: 'Product',
      column: (query, ids) => void query.whereIn('v.product_id', [...ids]),
      resource: 'shop-products',
    }),
    status: filter.choice(PRODUCT_STATUSES, { label: 'Status', column: 'p.status' }),
    tag: filter.text({
      label: 'Tag',
      column: (query, tag, { db }) =>
        void query.whereIn(
          'p.id',
          db.knex(tagRecord.table).where('tag_norm', normed(tag)).select('product_id'),
        ),
    }),
  },
  search: {
    placeholder: 'Title, slug or SKU',
    by: (query, text) => {
      query.where((any) => {
        for (const column of ['p.title', 'p.slug', 'v.sku'])
          any.orWhere((each) => matching(each, column, text, 'contains'));
      });
    },
  },
  sorts: { product: 'v.product_id' },
  initial: '-product',
});

/** Ids of variants by their SKUs in capitals; what does not exist is left out. */
export async function variantsBySku(
  { db }: Ctx,
  norms: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows: { id: string; sku_norm: string }[] = await db
    .knex(variantRecord.table)
    .whereIn('sku_norm', [...norms])
    .where({ deleted_at: null })
    .select('id', 'sku_norm');
  return new Map(rows.map(({ id, sku_norm }) => [sku_norm, id]));
}
