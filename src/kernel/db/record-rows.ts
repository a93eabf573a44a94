import type { Ctx } from '../context.ts';
import type { BesideIn, Columns, Kept, Row, TableRecord } from './record.ts';
import { type Statement, statement } from './statement.ts';

/**
 * The compiled INSERT of a table's rows, as `write` makes them.
 *
 * @param beside what the rows hold beside their object
 */
export const insertInto = <C extends Columns>(
  record: TableRecord<C>,
  ...beside: (keyof BesideIn<C> & string)[]
): Statement<Row, unknown> =>
  insertColumns(record, [...record.written, ...beside.map((name) => record.nameOf(name))]);

/** The compiled INSERT of some columns of a table, by their names in the database. */
export const insertColumns = <C extends Columns>(
  { table }: TableRecord<C>,
  columns: readonly string[],
): Statement<Row, unknown> => statement<Row, unknown>((q, p) => q(table).insert(p.row(...columns)));

/**
 * The compiled DELETE of rows that have been kept for their time, oldest first.
 *
 * @param rows the most that it deletes
 * @returns how many it deleted, of those before an ISO time, which is cut to what the column holds
 */
export function deleteOld(
  { table, key, nameOf, columns }: TableRecord,
  { by, where = {} }: Kept,
  rows: number,
): (ctx: Ctx, before: string) => Promise<number> {
  const time = nameOf(by);
  const old = statement<{ before: string }>((q, p) =>
    q(table)
      .whereIn(
        [...key],
        q(table)
          .where(where)
          .where(time, '<', p('before'))
          .orderBy(time)
          .limit(rows)
          .select(...key),
      )
      .delete(),
  );
  const length = columns[by]?.traits.timeLength ?? undefined;
  return (ctx, before) => old.run(ctx.db, { before: before.slice(0, length) });
}
