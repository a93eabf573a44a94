import type { Table } from '#kernel/records/table.ts';
import {
  checkColumns as check,
  type RowAsked,
  type RowReader,
  readRow as read,
} from '#licensing/licenses/licenses/index.ts';
import { usageError } from '../frame/errors.ts';
import { parseTime } from '../frame/times.ts';

const reader: RowReader = {
  refuse: usageError,
  time: (text) => parseTime('validUntil', text, 'end'),
};

/** As the license service reads columns. @throws usage error (2) */
export const checkColumns = (table: Table): void => check(table, reader.refuse);

/**
 * As the license service reads a row.
 *
 * @param now the column days counts from it; ISO 8601 UTC
 * @throws AppError VALIDATION_ERROR; usage error (2) for a date that is none
 */
export const readRow = (values: ReadonlyMap<string, unknown>, kind: Table['values'], now: string): RowAsked =>
  read(values, kind, now, reader);
