import type { Knex } from './database.ts';

/**
 * One page of a query's rows, by name, and how many rows there are.
 *
 * @param query filtered, without columns, order or limit
 */
export async function selectPage<R>(
  query: Knex.QueryBuilder,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: R[]; total: number }> {
  const [counted] = await query.clone().count({ n: '*' });
  const rows: R[] = await query.orderBy(['name', 'id']).offset(offset).limit(limit);
  return { rows, total: Number(counted?.n ?? 0) };
}
