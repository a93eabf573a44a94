import type { Ctx } from '#kernel/context.ts';
import { catalogChanged } from '../repository.ts';
import { collectionProductRecord, productCategoryRecord } from './record.ts';

const CATEGORIES = productCategoryRecord.table;
const COLLECTIONS = collectionProductRecord.table;

/** What names the place in its table. */
const columns = { category: 'category_id', collection: 'collection_id' } as const;
export type PlaceKind = keyof typeof columns;

/** The links of one kind of place. */
const links = ({ db }: Ctx, kind: PlaceKind) =>
  kind === 'category' ? db.knex(CATEGORIES) : db.knex(COLLECTIONS);

/** Ids of the products that stand in a category or were put into a collection, in its order. */
export async function productsIn(ctx: Ctx, kind: PlaceKind, placeId: string): Promise<string[]> {
  const column = columns[kind];
  const rows: { product_id: string }[] = await links(ctx, kind)
    .where({ [column]: placeId })
    .orderBy(['position', 'product_id'])
    .select('product_id');
  return rows.map((row) => row.product_id);
}

/** Rows of one INSERT: SQLite binds 32,766 values at most. */
const AT_ONCE = 1000;

/** In this order, in place of those that it has. */
export async function replaceProductsIn(
  ctx: Ctx,
  kind: PlaceKind,
  placeId: string,
  productIds: readonly string[],
): Promise<void> {
  const column = columns[kind];
  await links(ctx, kind)
    .where({ [column]: placeId })
    .delete();
  const rows = productIds.map((id, position) => ({ [column]: placeId, product_id: id, position }));
  for (let from = 0; from < rows.length; from += AT_ONCE)
    // A product that is put there at the same moment, by itself, stays where that put it.
    await links(ctx, kind)
      .insert(rows.slice(from, from + AT_ONCE))
      .onConflict([column, 'product_id'])
      .ignore();
  await catalogChanged(ctx);
}

/** Ids of the categories or collections that a product stands in. */
export async function placesOf(ctx: Ctx, kind: PlaceKind, productId: string): Promise<string[]> {
  const column = columns[kind];
  const rows: Record<string, string>[] = await links(ctx, kind)
    .where({ product_id: productId })
    .select(column);
  return rows.map((row) => row[column] as string);
}

/** Takes a product out of some places, and puts it last into others; throws a foreign key violation for unknown ones. */
export async function movePlaces(
  ctx: Ctx,
  kind: PlaceKind,
  productId: string,
  { from, to }: { readonly from: readonly string[]; readonly to: readonly string[] },
): Promise<void> {
  const column = columns[kind];
  await links(ctx, kind)
    .where({ product_id: productId })
    .whereIn(column, [...from])
    .delete();
  for (const id of to) {
    const last: { last?: number | null } | undefined = await links(ctx, kind)
      .where({ [column]: id })
      .max({ last: 'position' })
      .first();
    const position = last?.last == null ? 0 : Number(last.last) + 1;
    const row = { [column]: id, product_id: productId, position };
    await links(ctx, kind).insert(row).onConflict([column, 'product_id']).ignore();
  }
}
