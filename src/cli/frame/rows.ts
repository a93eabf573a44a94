import { csvField, csvText } from '#kernel/records/csv-write.ts';
import { oneLine } from '../one-line.ts';
import type { Paint } from './io.ts';
import { humanTime } from './times.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A column of a list. */
export interface Column<T = Row> {
  /** Field of the item; a dot reaches into an object: `customer.email`. */
  readonly key: string;
  readonly title?: string;
  /** The text for a human; --plain, --csv and --json show the field itself. */
  readonly text?: (item: T) => string;
  readonly align?: 'right';
  /** Never cut, however narrow the terminal is: a key that is cut opens nothing. */
  readonly whole?: true;
  /** The field is an ISO time: shown local and relative. */
  readonly time?: true;
}

/** Reads a field; a dot reaches into an object. */
export function fieldOf(row: Row, key: string): unknown {
  if (Object.hasOwn(row, key)) return row[key];
  const at = key.indexOf('.');
  if (at < 0) return undefined;
  const inner = row[key.slice(0, at)];
  return typeof inner === 'object' && inner !== null ? fieldOf(inner as Row, key.slice(at + 1)) : undefined;
}

/** Keeps the named fields of an object, in the order named; a field it does not have stays away. */
export function selectFields(value: Row, fields: readonly string[]): Row {
  const entries = fields.map((key) => [key, fieldOf(value, key)] as const);
  return Object.fromEntries(entries.filter(([, field]) => field !== undefined));
}

/** Returns the columns to show: those of --fields, else those of the command. */
export function toColumns(
  columns: readonly Column[],
  fields: readonly string[] | undefined,
): readonly Column[] {
  if (fields === undefined) return columns;
  return fields.map((key) => columns.find((column) => column.key === key) ?? { key });
}

/** One record per line, tab-separated, no header; else the values as they are. Controls become spaces. */
export function renderPlain(rows: readonly Row[], columns: readonly Column[]): string {
  return rows
    .map((row) =>
      columns.map(({ key }) => csvField(fieldOf(row, key)).replaceAll(/\p{Cc}+/gu, ' ')).join('\t'),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** With a header. */
export const renderCsv = (rows: readonly Row[], columns: readonly Column[]): string =>
  csvText([
    columns.map(({ key }) => key),
    ...rows.map((row) => columns.map(({ key }) => csvField(fieldOf(row, key)))),
  ]);

/** Fields that are whole or useless: somebody copies them into the next command. */
const IDENTIFIERS = /(^|\.)(id|key|keyMasked|keyid|email|slug|prefix|version)$|(Id|Email)$/;

/** A switch as a person reads it. */
export const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');

/** A table without lines, fitted to `width` columns and cut with an ellipsis; undefined: never cut. */
export async function renderTable(
  rows: readonly Row[],
  columns: readonly Column[],
  view: { width: number | undefined; paint: Paint; now: number },
): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const titles = columns.map((column) => column.title ?? column.key);
  const cells = rows.map((row) => columns.map((column) => cellText(row, column, view.now)));
  const isWhole = columns.map(({ whole, key }) => whole === true || IDENTIFIERS.test(key));
  const widths = fitWidths([titles, ...cells], isWhole, view.width);
  const none = [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
  ];
  const lines = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'];
  const table = new Table({
    head: titles.map((title) => view.paint('bold', title.toUpperCase())),
    colWidths: widths.map((width) => width + 2),
    colAligns: columns.map((column) => column.align ?? 'left'),
    chars: { ...Object.fromEntries([...none, ...lines].map((name) => [name, ''])), middle: '' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2, compact: true },
  });
  table.push(...cells);
  const text = table.toString();
  return `${text.replace(/[ \t]+$/gm, '')}\n`;
}

function cellText(row: Row, column: Column, now: number): string {
  const value = fieldOf(row, column.key);
  if (typeof value === 'boolean' && column.text === undefined) return yesOrNo(value);
  const text = column.text?.(row) ?? (column.time ? humanTime(value, now) : csvField(value));
  return oneLine(text);
}

/** Widths of the columns: as wide as their texts, the widest made narrower until the line fits. */
function fitWidths(
  lines: readonly (readonly string[])[],
  isWhole: readonly boolean[],
  available: number | undefined,
): number[] {
  const widths = (lines[0] ?? []).map((_, index) =>
    Math.max(1, ...lines.map((line) => line[index]?.length ?? 0)),
  );
  if (available === undefined) return widths;
  const gaps = 2 * widths.length;
  let excess = widths.reduce((sum, width) => sum + width, gaps) - available;
  while (excess > 0) {
    const widest = Math.max(0, ...widths.filter((_, index) => !isWhole[index]));
    if (widest <= 6) break;
    widths[widths.findIndex((width, index) => width === widest && !isWhole[index])] = widest - 1;
    excess -= 1;
  }
  return widths;
}
