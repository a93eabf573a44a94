import knexFactory, { type Knex } from 'knex';
import type { Compiled } from './compiled.ts';
import type { Db, DialectName } from './database.ts';
import { reusablePlan } from './dialect.ts';

/** Parameter marks for a statement's builder. */
export interface Parameters<P> {
  /** The place of one parameter. */
  (name: keyof P & string): string;
  /** `{column: parameter}` for columns that are named like their parameters: for INSERT and UPDATE. */
  row(...names: (keyof P & string)[]): Record<string, string>;
}

/**
 * A query that is built by knex once, then prepared by the driver and only bound afterwards:
 * building it on every request costs more than running it (architecture section 8).
 */
export interface Statement<P extends object, R> {
  /** The first row, or undefined. */
  first(db: Db, params: P): Promise<R | undefined>;
  all(db: Db, params: P): Promise<R[]>;
  /**
   * Runs a SELECT … FOR UPDATE. On SQLite the writing transaction is the lock already, so nothing runs there.
   * Resolves when the row is held.
   */
  lock(db: Db, params: P): Promise<void>;
  /** Runs a writing statement; resolves to the number of rows it changed. */
  run(db: Db, params: P): Promise<number>;
}

const MARK = '\u0001parameter:';
let statements = 0;

/** Builders that only produce SQL: they hold no connection. */
const builders: Record<DialectName, Knex> = {
  sqlite: knexFactory({ client: 'better-sqlite3', useNullAsDefault: true }),
  postgres: knexFactory({ client: 'pg' }),
};

/**
 * Declares a compiled statement.
 *
 * @param build makes the query from a connection-less knex and the marks of the parameters; it runs once per dialect
 */
export function statement<P extends object, R = Record<string, unknown>>(
  build: (knex: Knex, p: Parameters<P>) => Knex.QueryBuilder | Knex.Raw,
): Statement<P, R> {
  const compiled: Partial<Record<DialectName, Compiled>> = {};
  const compile = (dialect: DialectName): Compiled =>
    (compiled[dialect] ??= compileFor(dialect, build as Build));
  const prepare = (db: Db, params: P) => {
    const plan = compile(db.dialect);
    return [plan, bind(plan, params as Record<string, unknown>)] as const;
  };
  return {
    first: async (db, params) => db.first<R>(...prepare(db, params)),
    all: async (db, params) => db.all<R>(...prepare(db, params)),
    lock: async (db, params) => {
      if (!db.holdsWriteLock) await db.all(...prepare(db, params));
    },
    run: async (db, params) => db.run(...prepare(db, params)),
  };
}

/** A statement whose SQL names what only the database tells, such as all columns of a table; its values are given in their order. */
export function written(sql: string): Compiled {
  statements += 1;
  return { id: statements, sql, order: [] };
}

type Build = (knex: Knex, p: Parameters<Record<string, unknown>>) => Knex.QueryBuilder | Knex.Raw;

function compileFor(dialect: DialectName, build: Build): Compiled {
  const mark = ((name: string) => MARK + name) as Parameters<Record<string, unknown>>;
  mark.row = (...names) => Object.fromEntries(names.map((name) => [name, MARK + name]));
  const { sql, bindings } = build(builders[dialect], mark).toSQL().toNative();
  const places = bindings.map((value) =>
    typeof value === 'string' && value.startsWith(MARK) ? value.slice(MARK.length) : { constant: value },
  );
  const written = withConstantTexts(sql, places);
  statements += 1;
  return { id: statements, sql: reusablePlan(dialect, written.sql), order: written.order };
}

function bind({ order }: Compiled, params: Record<string, unknown>): unknown[] {
  const values = new Array<unknown>(order.length);
  for (let i = 0; i < order.length; i++) {
    const slot = order[i] as Compiled['order'][number];
    const value = typeof slot === 'string' ? params[slot] : slot.constant;
    values[i] = value === undefined ? null : value;
  }
  return values;
}

// A text between quotes, a quoted name, or a placeholder: `?` of SQLite, `$1` of Postgres.
const PARTS = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\?|\$(\d+)/g;
/** What needs no thought about escapes in either database. */
const PLAIN = /^[\w .:-]*$/;

/**
 * Writes the constant texts of a compiled statement into its SQL. An index over some rows only (`WHERE status =
 * 'active'`) serves a statement whose text says the same; a bound value does not, so that each look-up read all rows
 * (decision 0081).
 *
 * @param order names of parameters and constants, in the order of the placeholders
 * @returns the SQL, and what is still bound
 */
export function withConstantTexts<T extends string | { readonly constant: unknown }>(
  sql: string,
  order: readonly T[],
): { sql: string; order: T[] } {
  const kept: T[] = [];
  const places = new Map<number, number>();
  let at = 0;
  const written = sql.replaceAll(PARTS, (part, numbered: string | undefined) => {
    if (part !== '?' && numbered === undefined) return part;
    const place = numbered === undefined ? at++ : Number(numbered) - 1;
    const slot = order[place] as T;
    if (typeof slot !== 'string' && typeof slot.constant === 'string' && PLAIN.test(slot.constant))
      return `'${slot.constant}'`;
    const known = places.get(place);
    if (known !== undefined && numbered !== undefined) return `$${known}`;
    kept.push(slot);
    places.set(place, kept.length);
    return numbered === undefined ? '?' : `$${kept.length}`;
  });
  return { sql: written, order: kept };
}
