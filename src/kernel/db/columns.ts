import type { Knex } from 'knex';
import type { DialectName } from './database.ts';
import { integerCheck, timeColumn } from './dialect.ts';

/** JSON columns come back as text from both databases: the pg parser for jsonb is switched off in postgres.ts. */
export const readJson = <T>(value: unknown): T => JSON.parse(String(value)) as T;
export const readJsonOrNull = <T>(value: unknown): T | null =>
  value === null || value === undefined ? null : readJson<T>(value);
export const writeJson = (value: unknown): string => JSON.stringify(value);
export const writeJsonOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

/** SQLite answers 0 or 1 for a flag, Postgres false or true. */
export const readFlag = (value: unknown): boolean => value === true || value === 1;

/** Column kinds of the design's table notation (licensing section 8.1), for migrations. */
export interface Columns {
  id(name?: string): Knex.ColumnBuilder;
  reference(name: string, target: string, onDelete?: 'RESTRICT' | 'CASCADE'): Knex.ColumnBuilder;
  text(name: string): Knex.ColumnBuilder;
  /** One of fixed values. */
  choice(name: string, values: readonly string[]): Knex.ColumnBuilder;
  time(name: string): Knex.ColumnBuilder;
  int(name: string, min: number, max?: number): Knex.ColumnBuilder;
  big(name: string, min: number): Knex.ColumnBuilder;
  flag(name: string, initial: boolean): Knex.ColumnBuilder;
  json(name: string): Knex.ColumnBuilder;
  created(): void;
  updated(): void;
}

/**
 * Creates a table with the column helper at hand; `created_at` is on every table.
 *
 * @param define declares columns, keys and checks; `t` is knex's own builder for what the helper lacks
 */
export async function createTable(
  knex: Knex,
  dialect: DialectName,
  name: string,
  define: (c: Columns, t: Knex.CreateTableBuilder) => void,
): Promise<void> {
  await knex.schema.createTable(name, (t) => {
    const columns = columnsOf(t, dialect);
    define(columns, t);
    columns.created();
  });
}

/** The column helper of one table in one dialect. */
export function columnsOf(t: Knex.CreateTableBuilder, dialect: DialectName): Columns {
  const checked = (column: Knex.ColumnBuilder, name: string, min: number, max?: number) => {
    t.check(integerCheck(dialect, name, min, max));
    return column;
  };
  return {
    id: (name = 'id') => {
      t.check(`length(${name}) = 30`);
      return t.text(name).notNullable();
    },
    reference: (name, target, onDelete = 'RESTRICT') =>
      t.text(name).references('id').inTable(target).onDelete(onDelete) as Knex.ColumnBuilder,
    text: (name) => t.text(name),
    choice: (name, values) => {
      t.check(`${name} IN (${values.map((value) => `'${value}'`).join(', ')})`);
      return t.text(name);
    },
    time: (name) => t.specificType(name, timeColumn(dialect)),
    int: (name, min, max) => checked(t.integer(name), name, min, max),
    big: (name, min) => checked(t.bigInteger(name), name, min),
    flag: (name, initial) => t.boolean(name).notNullable().defaultTo(initial),
    json: (name) => t.jsonb(name),
    created: () => void t.specificType('created_at', timeColumn(dialect)).notNullable(),
    updated: () => void t.specificType('updated_at', timeColumn(dialect)).notNullable(),
  };
}
