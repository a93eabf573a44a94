import { csvField, csvText } from '#kernel/records/csv-write.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A column of a list. */
export interface Column<T = Row> {
  /** Field of the item; a dot reaches into an object: `customer.email`. */
  readonly key: string;
  readonly title?: string;
  /** The text for a human; --plain, --csv and --json show the field itself. */
  readonly text?: (item: T) => string;
  readonly align?: 'right';
  /** Never cut, however narrow the terminal is: a key that is cut opens nothing. Ids, addresses and times never are. */
  readonly whole?: true;
  /** Left out of a table before others where the terminal is narrow. */
  readonly minor?: true;
  /** In --plain and --csv only: a person reads it in another column. */
  readonly asData?: true;
  /** The field is an ISO time: shown local, and relative where there is room. */
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

/** A switch as a person reads it. */
export const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');
