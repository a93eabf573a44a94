import type { Knex } from './database.ts';

/**
 * How many rows of a query name each id: one grouped question for a whole page of a list.
 *
 * @param query over the rows, already narrowed to what may be counted
 * @param column that names an id
 * @returns 0 for an id that no row names
 */
export async function countsBy(
  query: Knex.QueryBuilder,
  column: string,
  ids: readonly string[],
): Promise<(id: string) => number> {
  const rows: { named: string; n: unknown }[] = await query
    .whereIn(column, [...ids])
    .groupBy(column)
    .select({ named: column })
    .count({ n: '*' });
  const counts = new Map(rows.map(({ named, n }) => [named, Number(n)]));
  return (id) => counts.get(id) ?? 0;
}
