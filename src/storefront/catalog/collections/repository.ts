import type { Ctx } from '#kernel/context.ts';
import { containsPattern } from '#kernel/db/dialect.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { catalogChanged } from '../products/index.ts';
import { type Collection, collectionRecord } from './record.ts';

const COLLECTIONS = collectionRecord.table;

/** Slugs that titles make are decided one after the other; holds them until the transaction ends. */
export const lockSlugs = ({ db }: Ctx): Promise<void> => lockName(db, 'shop-collection-slugs');

/** The collection, locked until the end of the transaction; null when unknown. */
export async function lockCollection({ db }: Ctx, id: string): Promise<Collection | null> {
  const row: object | undefined = await db.knex(COLLECTIONS).where({ id }).forUpdate().first();
  return row ? collectionRecord.read(row) : null;
}

/** Throws a unique violation for a taken slug. */
export async function insertCollection(ctx: Ctx, collection: Collection): Promise<void> {
  await ctx.db.knex(COLLECTIONS).insert(collectionRecord.write(collection));
  await catalogChanged(ctx);
}

/** Throws as `insertCollection` does. */
export async function updateCollection(ctx: Ctx, collection: Collection): Promise<void> {
  await ctx.db.knex(COLLECTIONS).where({ id: collection.id }).update(collectionRecord.write(collection));
  await catalogChanged(ctx);
}

/** With its places for products. */
export async function deleteCollection(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(COLLECTIONS).where({ id }).delete();
  await catalogChanged(ctx);
}

/** Slugs of collections that begin with a text. */
export async function slugsFrom({ db }: Ctx, start: string): Promise<Set<string>> {
  const rows: { slug: string }[] = await db
    .knex(COLLECTIONS)
    // A slug holds no wildcard.
    .where('slug', 'like', containsPattern(start).slice(1))
    .select('slug');
  return new Set(rows.map(({ slug }) => slug));
}
