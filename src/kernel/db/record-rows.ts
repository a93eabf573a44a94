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
  statement<Row, unknown>((q, p) =>
    q(record.table).insert(p.row(...record.written, ...beside.map(record.nameOf))),
  );
