import type { BesideIn, Columns, Row, TableRecord } from './record.ts';
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
