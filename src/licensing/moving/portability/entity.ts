import { z } from 'zod';
import { readFlag, readJson, readJsonOrNull, writeJson, writeJsonOrNull } from '#kernel/db/columns.ts';
import { flag, instant, integer, oneOf, text } from '#kernel/http/fields.ts';
import { type JsonBounds, jsonObject } from '#kernel/http/json-object.ts';
import { isId } from '#kernel/ids.ts';

/** What a column takes. */
export type Stored = string | number | boolean | null;

/** One field of an exported row, and the column that it stands in. */
export interface Field {
  readonly column: string;
  /** What an imported value must be: the bounds of the column, so that a file cannot store what the service never would. */
  readonly schema: z.ZodType;
  readonly read: (stored: unknown) => unknown;
  readonly write: (value: unknown) => Stored;
}

const same = (value: unknown) => value as Stored;
const plain = (column: string, schema: z.ZodType): Field => ({ column, schema, read: same, write: same });

/** The fields of the native format by the kind of their value (licensing 6.11). */
export const fields = {
  /** An id with this prefix. */
  id: (column: string, prefix: string): Field => plain(column, idSchema(prefix)),
  idOrNull: (column: string, prefix: string): Field => plain(column, idSchema(prefix).nullable()),
  text: (column: string, max: number, min = 0): Field => plain(column, text({ min, max })),
  textOrNull: (column: string, max: number): Field => plain(column, text({ max }).nullable()),
  /** A text of a form, as the service itself would take it. */
  form: (column: string, schema: z.ZodType): Field => plain(column, schema),
  choice: (column: string, values: readonly [string, ...string[]]): Field => plain(column, oneOf(values)),
  integer: (column: string, min: number, max?: number): Field => plain(column, integer(min, max)),
  integerOrNull: (column: string, min: number, max?: number): Field =>
    plain(column, integer(min, max).nullable()),
  time: (column: string): Field => plain(column, instant()),
  timeOrNull: (column: string): Field => plain(column, instant().nullable()),
  flag: (column: string): Field => ({ column, schema: flag(), read: readFlag, write: same }),
  object: (column: string, bounds: JsonBounds): Field => ({
    column,
    schema: jsonObject(bounds),
    read: readJson,
    write: writeJson,
  }),
  objectOrNull: (column: string, bounds: JsonBounds): Field => ({
    column,
    schema: z.nullable(jsonObject(bounds)),
    read: readJsonOrNull,
    write: writeJsonOrNull,
  }),
  /** Any JSON that its schema takes; null where the column is empty. */
  json: (column: string, schema: z.ZodType): Field => ({
    column,
    schema: z.nullable(schema),
    read: readJsonOrNull,
    write: writeJsonOrNull,
  }),
  texts: (column: string, max: number, count: number): Field => ({
    column,
    schema: z.array(text({ min: 1, max })).max(count),
    read: readJson,
    write: writeJson,
  }),
};

/** A field that exports of an earlier version do not hold: there it is null. */
export const addedLater = (field: Field): Field => ({
  ...field,
  schema: z.preprocess((value) => value ?? null, field.schema),
});

const idSchema = (prefix: string) =>
  z.string().refine((value) => isId(prefix, value), {
    error: `must be an id like ${prefix}_01J9ZK3T5W8Y2QF4M6N7P0R1SV`,
  });

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

/** A kind of rows: where they are stored, and what they hold. */
export interface Entity {
  readonly kind: Kind;
  readonly table: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Fields that name a row of another kind of the same tenant. */
  readonly references: Readonly<Record<string, Kind>>;
  /** Columns that no two rows share, beside the id. */
  readonly natural: readonly string[];
  /** Columns that follow from the values. */
  readonly derived?: Readonly<Record<string, (values: Values) => Stored>>;
  /** What is wrong with values that are each right on their own; null: nothing. */
  readonly contradiction?: (values: Values) => string | null;
}

/** A row as the native format prints it. */
export const printed = (entity: Entity, stored: Record<string, unknown>): Values =>
  Object.fromEntries(Object.entries(entity.fields).map(([name, field]) => [name, field.read(stored[name])]));

/** Every column that an insert fills. */
export const columnNames = ({ fields, derived = {} }: Entity): string[] => [
  ...Object.values(fields).map(({ column }) => column),
  ...Object.keys(derived),
];

/** The columns of a row that is inserted. */
export const columnsOf = ({ fields, derived = {} }: Entity, values: Values): Record<string, Stored> =>
  Object.fromEntries([
    ...Object.entries(fields).map(([name, field]) => [field.column, field.write(values[name])]),
    ...Object.entries(derived).map(([column, make]) => [column, make(values)]),
  ]);
