import { z } from 'zod';
import { flag, instant, integer, oneOf, text } from '../http/fields.ts';
import { type JsonBounds, type JsonObject, jsonObject } from '../http/json-object.ts';
import { isId } from '../ids.ts';
import { sharing } from '../sharing.ts';
import { readFlag, readJson, writeJson } from './columns.ts';

/** What a column takes. */
export type Stored = string | number | boolean | null;

/** How a value that is not stored as it is gets into its column and back. */
export interface Codec {
  read(stored: unknown): unknown;
  write(value: unknown): Stored;
}

/** What a record says of one column. */
export interface Traits<T, Shown extends boolean> {
  /** The bounds of the column: a file cannot store what the service never would. Made when it is first asked for. */
  readonly schema: () => z.ZodType<T>;
  /** null: stored as it is. */
  readonly codec: Codec | null;
  readonly isNullable: boolean;
  /** Part of the object that repositories read and write. */
  readonly isShown: Shown;
  /** Never read into an object, never exported. */
  readonly isSecret: boolean;
  /** Means something on this server only: no export holds it. */
  readonly isLocal: boolean;
  /** Tells who somebody is, or where. `erased` makes what an erasure leaves; null: the row goes as a whole. */
  readonly personal: { readonly erased: ((id: string, value: never) => unknown) | null } | null;
  /** Table of the row that is named here. */
  readonly target: string | null;
  /** Makes the stored value from the other values of the row. */
  readonly derive: ((values: never) => Stored) | null;
  /** Name in the database where it is not the object's own in lower case. */
  readonly stored: string | null;
  /** Leading characters of an ISO time that the column holds; null for what is no time. */
  readonly timeLength: number | null;
}

/** One column of a table: the bounds of its values, how they are stored, and what may be done with them. */
export interface Column<T = unknown, Shown extends boolean = boolean> {
  readonly traits: Traits<T, Shown>;
  nullable(): Column<T | null, Shown>;
  /**
   * Tells who somebody is, or where.
   *
   * @param erased what an erasure leaves, from the id of the row and what it says; absent where the row goes as a whole
   */
  personal(erased?: (id: string, value: T) => T): Column<T, Shown>;
  /** Sealed, hashed or private: it stays out of objects and of exports. */
  secret(): Column<T, false>;
  /** Written beside the object, such as who made the row: readers of objects do not see it. */
  aside(): Column<T, false>;
  /** Stays out of exports. */
  local(): Column<T, Shown>;
  /** Follows from the other values, each time that the row is written. */
  from<V>(derive: (values: V) => Stored): Column<T, false>;
  /** Holds the id of a row of another table. */
  references(table: string): Column<T, Shown>;
  /** Has another name in the database. */
  stored(name: string): Column<T, Shown>;
  /** Exports of an earlier version lack it: there it is null. */
  addedLater(): Column<T, Shown>;
}

function make<T, Shown extends boolean>(traits: Traits<T, Shown>): Column<T, Shown> {
  const { schema, codec } = traits;
  return {
    traits,
    nullable: () =>
      make({
        ...traits,
        schema: () => z.nullable(schema()) as z.ZodType<T | null>,
        codec: codec && orNull(codec),
        isNullable: true,
      }),
    personal: (erased) => make({ ...traits, personal: { erased: erased ?? null } }),
    secret: () => make({ ...traits, isShown: false as const, isSecret: true }),
    aside: () => make({ ...traits, isShown: false as const }),
    local: () => make({ ...traits, isLocal: true }),
    from: (derive) => make({ ...traits, isShown: false as const, derive }),
    references: (target) => make({ ...traits, target }),
    stored: (stored) => make({ ...traits, stored }),
    addedLater: () =>
      make({
        ...traits,
        schema: () => z.preprocess((value) => value ?? null, schema()) as unknown as z.ZodType<T>,
      }),
  };
}

const orNull = ({ read, write }: Codec): Codec => ({
  read: (stored) => (stored === null || stored === undefined ? null : read(stored)),
  write: (value) => (value === null || value === undefined ? null : write(value)),
});

const none = { personal: null, target: null, derive: null, stored: null };

function of<T>(schema: () => z.ZodType<T>, more: Partial<Traits<T, true>> = {}): Column<T, true> {
  const { codec = null, timeLength = null } = more;
  const plain = { isNullable: false, isShown: true as const, isSecret: false, isLocal: false };
  return make({ ...plain, schema, codec, timeLength, ...none });
}

const json: Codec = { read: readJson, write: writeJson };
const bool: Codec = { read: readFlag, write: (value) => value as boolean };
const iso = (length: number) => of<string>(() => text({ min: length, max: length }), { timeLength: length });

/** Columns by the kind of their values (licensing section 8.1). */
export const column = {
  /** An id with this prefix. */
  id: (prefix: string) => of<string>(() => idSchema(prefix)),
  text: (max: number, min = 0) => of<string>(() => text({ min, max })),
  /** As `schema` takes it. */
  form: <T extends string | number>(schema: z.ZodType<T>) => of<T>(() => schema),
  choice: <const T extends readonly [string, ...string[]]>(values: T) => of<T[number]>(() => oneOf(values)),
  integer: (min: number, max?: number) => of<number>(() => integer(min, max)),
  flag: () => of<boolean>(() => flag(), { codec: bool }),
  /** ISO 8601 UTC with milliseconds. */
  time: () => of<string>(() => instant(), { timeLength: 24 }),
  /** `2026-03-01`, UTC. */
  day: () => iso(10),
  /** `2026-03-01T12`, UTC. */
  hour: () => iso(13),
  /** `2026-03-01T12:30`, UTC. */
  minute: () => iso(16),
  /** A free JSON object. */
  object: (bounds: JsonBounds) => of<JsonObject>(() => jsonObject(bounds), { codec: json }),
  /** JSON of a form. */
  json: <T>(schema: () => z.ZodType<T>) => of<T>(schema, { codec: json }),
  /** Texts of 1 to `max` characters, at most `count`. */
  texts: (max: number, count: number) =>
    of<string[]>(() => z.array(text({ min: 1, max })).max(count), { codec: json }),
};

const idSchema = (prefix: string) =>
  ids(prefix, () =>
    z.string().refine((value) => isId(prefix, value), {
      error: `must be an id like ${prefix}_01J9ZK3T5W8Y2QF4M6N7P0R1SV`,
    }),
  );

const ids = sharing<string, z.ZodString>(new Map());
