import type { Column, Stored } from '#kernel/db/column.ts';
import type { Columns, Row, TableRecord } from '#kernel/db/record.ts';

/** Kinds of rows, in the order of the native format. */
export const KINDS = [
  'tenant',
  'product',
  'signing_key',
  'key_format',
  'policy',
  'customer',
  'license',
  'activation',
  'usage_total',
  'release',
] as const;
export type Kind = (typeof KINDS)[number];

/** Values of a row by the names of its fields. */
export type Values = Record<string, unknown>;

/** One field of an exported row. */
interface Field extends Pick<Column['traits'], 'schema' | 'codec'> {
  /** The value in the objects of the record. */
  readonly of: string;
  /** The column in the database. */
  readonly column: string;
}

/** A kind of rows: the table that they stand in, and which of its columns they hold (licensing 6.11). */
export interface Entity {
  readonly kind: Kind;
  readonly record: TableRecord;
  readonly fields: Readonly<Record<string, Field>>;
  /** Fields that name a row of another kind of the same tenant. */
  readonly references: Readonly<Record<string, Kind>>;
  /** Columns that an import sets by itself. */
  readonly fixed: Row;
}

interface Deviations<C extends Columns> {
  /** The only fields, with the columns that they hold; left out: every column that may leave the server. */
  readonly only?: Readonly<Record<string, keyof C & string>>;
  /** Fields with a name that differs from their column's. */
  readonly named?: { readonly [K in keyof C]?: string };
  /** Columns that are narrower in a file than in the table. */
  readonly narrower?: { readonly [K in keyof C]?: Column };
  readonly references?: Readonly<Record<string, Kind>>;
  readonly fixed?: Row;
}

/** Which kind the rows of a table are. */
const kindOf: Readonly<Record<string, Kind>> = {
  license_products: 'product',
  license_key_formats: 'key_format',
  license_policies: 'policy',
  license_customers: 'customer',
  licenses: 'license',
};

/** The rows of a record as the native format holds them; where the two differ, the deviations say. */
export function entity<C extends Columns>(
  kind: Kind,
  record: TableRecord<C>,
  { only, named = {}, narrower = {}, references = {}, fixed = {} }: Deviations<C> = {},
): Entity {
  const held = only ?? namesOf(record, named as Readonly<Record<string, string>>);
  const fields: Record<string, Field> = {};
  const found: Record<string, Kind> = { ...references };
  for (const [name, of] of Object.entries(held)) {
    const { schema, codec, target } = (narrower[of] ?? (record.columns[of] as Column)).traits;
    fields[name] = { of, column: record.nameOf(of), schema, codec };
    const kind = kindOf[target ?? record.columns[of]?.traits.target ?? ''];
    if (kind !== undefined) found[name] = kind;
  }
  return { kind, record: record as unknown as TableRecord, fields, references: found, fixed };
}

/** Every column that is part of the objects and may leave the server, by the name of its field. */
function namesOf<C extends Columns>(
  { columns }: TableRecord<C>,
  named: Readonly<Record<string, string>>,
): Readonly<Record<string, keyof C & string>> {
  const leaving = Object.entries(columns).filter(
    ([, { traits }]) => traits.isShown && !traits.isSecret && !traits.isLocal,
  );
  return Object.fromEntries(leaving.map(([of]) => [named[of] ?? of, of]));
}

/** A row as the native format prints it. */
export const printed = ({ fields }: Entity, stored: Record<string, unknown>): Values =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { codec }]) => [
      name,
      codec === null ? stored[name] : codec.read(stored[name]),
    ]),
  );

/** The object of the record that a row of a file stands for. */
export const objectOf = ({ fields }: Entity, values: Values): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, { of }]) => [of, values[name]]));

/** Every column that an insert fills. */
export const columnNames = ({ record, fields, fixed }: Entity): string[] => [
  ...Object.values(fields).map(({ column }) => column),
  ...Object.entries(record.columns).flatMap(([name, { traits }]) =>
    traits.derive ? [record.nameOf(name)] : [],
  ),
  ...Object.keys(fixed),
];

/** The columns of a row that is inserted. */
export function columnsOf({ record, fields, fixed }: Entity, values: Values): Row {
  const row: Record<string, Stored> = {};
  for (const [name, { column, codec }] of Object.entries(fields)) {
    row[column] = codec === null ? (values[name] as Stored) : codec.write(values[name]);
  }
  return { ...row, ...record.derived(values as never), ...fixed };
}
