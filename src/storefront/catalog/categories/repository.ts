import type { Ctx } from '#kernel/context.ts';
import { raiseCounter } from '#kernel/db/counters.ts';
import { containsPattern } from '#kernel/db/dialect.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { CATALOG_COUNTER } from '../products/index.ts';
import { type Category, categoryRecord } from './record.ts';

const CATEGORIES = categoryRecord.table;

/** Holds the whole tree until the transaction ends: two moves at once could make a circle that neither makes alone. */
export const lockTree = ({ db }: Ctx): Promise<void> => lockName(db, 'shop-category-tree');

/** Tells every server that what it keeps of the catalogue is old. */
const changed = (ctx: Ctx): Promise<number> => raiseCounter(ctx, CATALOG_COUNTER);

/** Throws a unique violation for a taken slug. */
export async function insertCategory(ctx: Ctx, category: Category): Promise<void> {
  await ctx.db.knex(CATEGORIES).insert(categoryRecord.write(category));
  await changed(ctx);
}

/** Throws as `insertCategory` does. */
export async function updateCategory(ctx: Ctx, category: Category): Promise<void> {
  await ctx.db.knex(CATEGORIES).where({ id: category.id }).update(categoryRecord.write(category));
  await changed(ctx);
}

/** With its places for products. */
export async function deleteCategory(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(CATEGORIES).where({ id }).delete();
  await changed(ctx);
}

/** Puts what is directly under a category under another one, or at the top. */
export async function moveChildren({ db }: Ctx, from: string, to: string | null): Promise<void> {
  await db.knex(CATEGORIES).where({ parent_id: from }).update({ parent_id: to });
}

/** Of all categories whose path begins with one, that beginning becomes another. */
export async function movePaths({ db }: Ctx, from: string, to: string, now: string): Promise<void> {
  await db
    .knex(CATEGORIES)
    .where('path', 'like', startingWith(from))
    .update({ path: db.knex.raw('? || substr(path, ?)', [to, from.length + 1]), updated_at: now });
}

/** Paths of a category and of all that is under it. */
export async function pathsUnder({ db }: Ctx, path: string): Promise<string[]> {
  const rows: { path: string }[] = await db
    .knex(CATEGORIES)
    .where('path', 'like', startingWith(path))
    .select('path');
  return rows.map((row) => row.path);
}

/** The place after the last of those under a category, or at the top. */
export async function nextPosition({ db }: Ctx, parentId: string | null): Promise<number> {
  const row: { last?: number | null } | undefined = await db
    .knex(CATEGORIES)
    .where({ parent_id: parentId })
    .max({ last: 'position' })
    .first();
  return row?.last == null ? 0 : Number(row.last) + 1;
}

/** Slugs of categories that begin with a text. */
export async function slugsFrom({ db }: Ctx, start: string): Promise<Set<string>> {
  const rows: { slug: string }[] = await db
    .knex(CATEGORIES)
    .where('slug', 'like', startingWith(start))
    .select('slug');
  return new Set(rows.map(({ slug }) => slug));
}

// Slugs and paths hold no wildcard.
const startingWith = (text: string): string => containsPattern(text).slice(1);
