import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { matching } from '#kernel/db/selection/filter.ts';
import { normed, shopProductRecord, tagRecord } from '../record.ts';

/** So many words are listed. */
const MOST_WORDS = 200;

const numbered = <R extends { count: number | string }>(rows: R[]) =>
  rows.map((row) => ({ ...row, count: Number(row.count) }));

/** Tags in use, the most frequent first. @param q part of one, in any case */
export async function listTags({ db }: Ctx, q: string): Promise<{ tag: string; count: number }[]> {
  const query: Knex.QueryBuilder = db.knex(tagRecord.table).groupBy('tag_norm');
  matching(query, 'tag_norm', normed(q), 'contains');
  const rows: { tag: string; count: number | string }[] = await query
    .select(db.knex.raw('min(tag) as tag'), db.knex.raw('count(*) as count'))
    .orderBy([{ column: 'count', order: 'desc' }, 'tag'])
    .limit(MOST_WORDS);
  return numbered(rows);
}

/** Brands in use as they are written, the most frequent first. @param q part of one, in any case */
export async function listBrands({ db }: Ctx, q: string): Promise<{ brand: string; count: number }[]> {
  const query: Knex.QueryBuilder = db
    .knex(shopProductRecord.table)
    .whereNotNull('brand')
    .groupBy('brand')
    .select('brand', db.knex.raw('count(*) as count'))
    .orderBy([{ column: 'count', order: 'desc' }, 'brand'])
    .limit(MOST_WORDS);
  if (q !== '') matching(query, 'brand', q, 'contains');
  const rows: { brand: string; count: number | string }[] = await query;
  return numbered(rows);
}

/** Ids of the products of a brand, exactly as it is written. */
export async function idsOfBrand({ db }: Ctx, brand: string): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex(shopProductRecord.table)
    .where({ brand })
    .orderBy('id')
    .select('id');
  return rows.map(({ id }) => id);
}
