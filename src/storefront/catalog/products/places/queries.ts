import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import type { PlaceOf } from '../whole.ts';
import { collectionProductRecord, productCategoryRecord } from './record.ts';

/** Ids of products in some categories and in all that is under them; `q` begins the query. */
export const inCategories = (q: Knex, ids: readonly string[]): Knex.QueryBuilder =>
  q({ l: productCategoryRecord.table })
    .join({ c: 'categories' }, 'c.id', 'l.category_id')
    // Paths hold no wildcard.
    .join({ top: 'categories' }, (join) => join.on('c.path', 'like', q.raw("top.path || '%'")))
    .whereIn('top.id', [...ids])
    .select('l.product_id');

/** Ids of products that were put into some collections by hand; `q` begins the query. */
export const inCollections = (q: Knex, ids: readonly string[]): Knex.QueryBuilder =>
  q(collectionProductRecord.table)
    .whereIn('collection_id', [...ids])
    .select('product_id');

interface PlaceRow {
  readonly product_id: string;
  readonly kind: 'category' | 'collection';
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

/** Categories of products, and collections that they were put into by hand, by name. */
const placesOf = (q: Knex): Knex.QueryBuilder => {
  const categories = q({ l: productCategoryRecord.table })
    .join({ c: 'categories' }, 'c.id', 'l.category_id')
    .select('l.product_id', 'c.id', 'c.name', 'c.slug', q.raw("'category' as kind"));
  const collections = q({ l: collectionProductRecord.table })
    .join({ c: 'collections' }, 'c.id', 'l.collection_id')
    .select('l.product_id', 'c.id', 'c.title as name', 'c.slug', q.raw("'collection' as kind"));
  return q.from(categories.unionAll(collections).as('places')).orderBy(['name', 'id']).select('*');
};

const placeIn = ({ kind, id, name, slug }: PlaceRow): PlaceOf => ({ kind, id, name, slug });

const placesOfProduct = statement<{ id: string }, PlaceRow>((q, p) =>
  placesOf(q).where('product_id', p('id')),
);
/** Where products stand, by the ids of the products. */
export async function placesFor(
  db: Ctx['db'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly PlaceOf[]>> {
  const rows: PlaceRow[] = await placesOf(db.knex).whereIn('product_id', [...ids]);
  return new Map(
    [...Map.groupBy(rows, ({ product_id }) => product_id)].map(([id, some]) => [id, some.map(placeIn)]),
  );
}

/** Where one product stands. */
export const placesOfOne = async (db: Ctx['db'], id: string): Promise<PlaceOf[]> =>
  (await placesOfProduct.all(db, { id })).map(placeIn);

/** Those of some categories that exist, or of some collections that are filled by hand. */
export async function fillablePlaces(
  { db }: Ctx,
  kind: 'category' | 'collection',
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const query =
    kind === 'category' ? db.knex('categories') : db.knex('collections').where({ kind: 'manual' });
  const rows: { id: string }[] = await query.whereIn('id', [...ids]).select('id');
  return new Set(rows.map(({ id }) => id));
}
