import type { Ctx } from '#kernel/context.ts';
import { refuseForm } from '#kernel/http/page.ts';
import { readCsv } from '#kernel/records/csv.ts';
import { normed } from '../record.ts';
import { type EditorColumn, GRID_COLUMNS } from './columns.ts';
import { type Cells, rowsOf, type SentRow } from './grid.ts';
import { variantsBySku } from './queries.ts';

/** Rows of one paste. */
export const MOST_PASTED = 200;

/** What was understood of a pasted table. */
export interface Pasted {
  readonly rows: readonly SentRow[];
  /** What was left out, in sentences. */
  readonly notes: readonly string[];
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** `Compare at (USD)` and `compare_at` are one column. */
const plain = (name: string): string =>
  name
    .replace(/\(.*\)/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');

const columnOf = (head: string): EditorColumn | undefined =>
  GRID_COLUMNS.find(({ name, also = [], label }) =>
    [name, label(''), ...also].some((one) => plain(one) === plain(head)),
  );

/**
 * Reads rows that were copied out of a spreadsheet, or CSV: the first names the columns, among them the SKU. An empty cell
 * leaves what is stored.
 *
 * @throws a refused form without a header or an SKU, and beyond 200 rows; RecordFault for a quote that is never closed
 */
export async function readPasted(ctx: Ctx, text: string): Promise<Pasted> {
  const records: (readonly string[])[] = [];
  for await (const { cells } of readCsv(once(`${text.trim()}\n`))) records.push(cells);
  const [head = [], ...lines] = records;
  const columns = head.map(columnOf);
  const key = columns.findIndex((one) => one?.name === 'sku');
  if (key === -1 || lines.length === 0)
    throw refuseForm('Nothing was read', {
      paste: 'Copy the header row too: its columns need names, and one of them must be SKU',
    });
  if (lines.length > MOST_PASTED)
    throw refuseForm('Nothing was read', {
      paste: `There are ${lines.length} rows; paste at most ${MOST_PASTED} at a time`,
    });
  const ignored = head.filter((_name, at) => !columns[at]);
  const skus = lines.map((cells) => (cells[key] ?? '').trim());
  const ids = await variantsBySku(ctx, skus.map(normed));
  const unknown = skus.filter((sku) => !ids.has(normed(sku)));
  const byId = new Map(lines.map((cells, at) => [ids.get(normed(skus[at] ?? '')), cells]));
  const stored = await rowsOf(ctx, [...new Set(skus.flatMap((sku) => ids.get(normed(sku)) ?? []))]);
  const rows = stored.map(({ variant, whole, cells: was }): SentRow => {
    const said: [string, string][] = (byId.get(variant.id) ?? []).flatMap((cell, at): [string, string][] => {
      const name = columns[at]?.name;
      return name === undefined || name === 'sku' || cell.trim() === '' ? [] : [[name, cell.trim()]];
    });
    const cells: Cells = { ...was, ...Object.fromEntries(said) };
    return { id: variant.id, version: String(whole.product.version), was, cells };
  });
  return { rows, notes: notesOf(ignored, unknown) };
}

const some = (names: readonly string[]): string =>
  names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '');

const notesOf = (ignored: readonly string[], unknown: readonly string[]): string[] => [
  ...(ignored.length > 0 ? [`Unknown columns were skipped: ${some(ignored)}.`] : []),
  ...(unknown.length > 0 ? [`Rows with unknown SKUs were skipped: ${some(unknown)}.`] : []),
];
