import { type ColumnMap, type ForeignField, normalName } from './columns.ts';
import { columnsOf, type ForeignSource, SOURCES } from './sources.ts';
import { parsed, type Raw } from './values.ts';

/** The values of one record by field; see `Raw` for undefined and null. */
export interface Extracted {
  readonly fields: Partial<Record<ForeignField, Raw>>;
  /** Metadata beside the field `metadata`, in the order of the columns. */
  readonly metadata: readonly [name: string, value: unknown][];
  /** Columns that nothing was made of. */
  readonly unused: readonly string[];
  /** The value of a column of the source that stands for no field alone. */
  signal(name: string): Raw;
}

const ENTRY = /^metadata\.(.+)$/i;
type Values = ReadonlyMap<string, { name: string; value: unknown }>;

/** Sorts the columns of a record into fields: those of `--map` first, then those that the source is known for. */
export function extract(source: ForeignSource, values: Values, map: ColumnMap): Extracted {
  const fields: Partial<Record<ForeignField, Raw>> = {};
  const metadata: [string, unknown][] = [];
  const used = new Set<string>();
  for (const [column, target] of map) {
    const found = values.get(column);
    if (!found) continue;
    used.add(column);
    if (target.startsWith('metadata.')) metadata.push([target.slice('metadata.'.length), found.value]);
    else fields[target as ForeignField] = found.value;
  }
  for (const field of Object.keys(SOURCES[source].columns) as ForeignField[]) {
    if (field in fields) continue;
    const value = firstOf(source, field, values, used);
    if (value !== undefined) fields[field] = value;
  }
  fields.customerName ??= fullName(source, values, used);
  const signal = (name: string): Raw => values.get(name.toLowerCase())?.value;
  const rest = restOf(source, values, used);
  const unused = [...values]
    .filter(([column, { name }]) => !used.has(column) && !isSignal(source, column) && !ENTRY.test(name))
    .map(([, { name }]) => name);
  return { fields, metadata: [...metadata, ...rest], unused, signal };
}

/** The first column of a field that has a value in this record; null when it has columns but no value. */
function firstOf(
  source: ForeignSource,
  field: Parameters<typeof columnsOf>[1],
  values: Values,
  used: Set<string>,
): Raw {
  let found: Raw;
  for (const column of columnsOf(source, field)) {
    const cell = values.get(column) ?? nested(column, values);
    if (!cell) continue;
    used.add(column);
    if (found === undefined || found === null) found = cell.value ?? null;
  }
  return found;
}

/** `metadata.email` may be a column, or an entry of the metadata. */
function nested(column: string, values: Values): { value: unknown } | undefined {
  if (!column.startsWith('metadata') || column === 'metadata') return undefined;
  const value = values.get('metadata')?.value;
  const metadata = typeof value === 'string' ? parsed(value) : value;
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const name = column.slice('metadata'.length);
  const entry = Object.entries(metadata).find(([key]) => normalName(key) === name);
  return entry && { value: entry[1] };
}

function fullName(source: ForeignSource, values: Values, used: Set<string>): Raw {
  const parts = (['firstName', 'lastName'] as const).map((part) => firstOf(source, part, values, used));
  const name = parts.filter((part) => typeof part === 'string' && part.trim() !== '').join(' ');
  return name === '' ? undefined : name;
}

/** What no field took, as the source keeps it: everything, the ids, or only columns that are called metadata. */
function restOf(source: ForeignSource, values: Values, used: ReadonlySet<string>): [string, unknown][] {
  const { rest } = SOURCES[source];
  return [...values].flatMap(([column, { name, value }]): [string, unknown][] => {
    if (used.has(column) || value === null || value === undefined) return [];
    const entry = ENTRY.exec(name)?.[1];
    if (entry !== undefined) return [[entry, value]];
    if (rest === 'ids' && /(^|[\s._-])id$/i.test(name)) return [[`ls_${snakeCase(name)}`, value]];
    return rest === 'metadata' && !isSignal(source, column) ? [[name, value]] : [];
  });
}

const isSignal = (source: ForeignSource, column: string): boolean =>
  SOURCES[source].signals.some((signal) => signal.toLowerCase() === column);

const snakeCase = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s._-]+/g, '_');
