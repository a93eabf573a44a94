import type { Ctx } from '#kernel/context.ts';
import { putTerms, removeAllTerms, removeTerms } from '#kernel/db/full-text.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { type ProductTerms, productTerms } from './index-terms.ts';
import { type Indexed, productSearchRecord, searchGramRecord, searchWordRecord } from './record.ts';

const INDEX = productSearchRecord.table;
const WORDS = searchWordRecord.table;
const GRAMS = searchGramRecord.table;

/** The index is written by one after the other: two may count the same word. */
export const lockIndex = ({ db }: Ctx): Promise<void> => lockName(db, 'shop-search');

/** What the index has of a product; null when it is not in it. */
export async function indexedOf({ db }: Ctx, productId: string): Promise<Indexed | null> {
  const row: object | undefined = await db.knex(INDEX).where({ product_id: productId }).first();
  return row ? productSearchRecord.read(row) : null;
}

/** A number that no row of the index has, as long as the index is locked. */
export async function freeNumber({ db }: Ctx): Promise<number> {
  const last: { last?: number | string | null } | undefined = await db
    .knex(INDEX)
    .max({ last: 'number' })
    .first();
  return Number(last?.last ?? 0) + 1;
}

/** In place of what it has of that product. */
export async function put(ctx: Ctx, row: Indexed, terms: ProductTerms): Promise<void> {
  await ctx.db
    .knex(INDEX)
    .insert(productSearchRecord.write(row))
    .onConflict('product_id')
    .merge(['version', 'form', 'words']);
  await putTerms(ctx.db, productTerms, row.number, terms);
}

/** Writes the terms of a product again, and nothing else. */
export const putAgain = (ctx: Ctx, { number }: Pick<Indexed, 'number'>, terms: ProductTerms): Promise<void> =>
  putTerms(ctx.db, productTerms, number, terms);

/** Takes the terms of all products out. */
export const forgetTerms = ({ db }: Ctx): Promise<void> => removeAllTerms(db, productTerms);

/** Some of the products that are in the index, by their numbers. @param after the number of the last one before them */
export async function indexedAfter({ db }: Ctx, after: number, limit: number): Promise<Indexed[]> {
  const rows: object[] = await db.knex(INDEX).where('number', '>', after).orderBy('number').limit(limit);
  return rows.map((row) => productSearchRecord.read(row));
}

/** Takes a product out. */
export async function remove(
  ctx: Ctx,
  { productId, number }: Pick<Indexed, 'productId' | 'number'>,
): Promise<void> {
  await ctx.db.knex(INDEX).where({ product_id: productId }).delete();
  await removeTerms(ctx.db, productTerms, number);
}

/** Counts words once more, and lists those that are new. */
export async function addWords({ db }: Ctx, words: ReadonlyMap<string, string>): Promise<void> {
  for (const [word, spelling] of words) {
    const more = { uses: db.knex.raw('uses + 1') };
    if ((await db.knex(WORDS).where({ word }).update(more)) > 0) continue;
    await db.knex(WORDS).insert(searchWordRecord.write({ word, spelling, uses: 1 }));
    const grams = gramsOf(word).map((gram) => searchGramRecord.write({ gram, word }));
    await db.knex(GRAMS).insert(grams).onConflict(['gram', 'word']).ignore();
  }
}

/** Counts words once less; what no product has any more goes. */
export async function dropWords({ db }: Ctx, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await db
    .knex(WORDS)
    .whereIn('word', [...words])
    .update({ uses: db.knex.raw('uses - 1') });
  const gone: { word: string }[] = await db
    .knex(WORDS)
    .whereIn('word', [...words])
    .where('uses', '<=', 0)
    .select('word');
  const names = gone.map(({ word }) => word);
  await db.knex(WORDS).whereIn('word', names).delete();
  await db.knex(GRAMS).whereIn('word', names).delete();
}

/** Each three neighbouring characters of a word between marks of its start and its end. */
export function gramsOf(word: string): string[] {
  const characters = ['^', '^', ...word, '$'];
  return [...new Set(characters.slice(2).map((_last, at) => characters.slice(at, at + 3).join('')))];
}
