import type { Ctx } from '#kernel/context.ts';
import { csvField, csvText } from '#kernel/records/csv-write.ts';
import type { Kind } from './entity.ts';
import type { ExportAsked } from './export-native.ts';
import { exportTable, tableColumns } from './export-table.ts';
import type { End } from './native-format.ts';

/**
 * Writes the rows of one kind as CSV (licensing 6.11): one page of them is in memory at a time.
 *
 * @param counted is filled with the number of rows
 * @returns texts of whole lines, the header first
 */
export async function* exportCsv(
  ctx: Ctx,
  kind: Kind,
  asked: Omit<ExportAsked, 'kinds'>,
  counted: End['rows'] = {},
): AsyncGenerator<string> {
  const columns = tableColumns(kind, asked);
  counted[kind] = 0;
  yield csvText([columns]);
  for await (const rows of exportTable(ctx, kind, asked)) {
    counted[kind] = (counted[kind] ?? 0) + rows.length;
    yield csvText(rows.map((row) => columns.map((name) => csvField(row[name]))));
  }
}
