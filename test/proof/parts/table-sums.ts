// What is in a database, read beside the program: of each table how many rows there are, and one digest over all of them.
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { plainRow } from '../../support/plain-row.ts';
import { openServer } from './reader.ts';

/** Of one table. */
export interface TableSum {
  readonly rows: number;
  readonly sha256: string;
}
export type TableSums = Readonly<Record<string, TableSum>>;

/**
 * Sessions end with a restore; the list of migrations has times of its own; the search is derived from products; servers
 * say each minute that they are there.
 */
const NOT_COMPARED = /^(?:sessions$|schema_migrations$|alert_servers$|product_search|sqlite_)/;

/** A backup does not know itself. */
const ROWS_COMPARED: Readonly<Record<string, string>> = { settings: "WHERE key <> 'system.last_backup'" };

/** A column that may have gigabytes: the database itself makes a digest of each value. */
export const LARGE = { table: 'tasks', column: 'error' } as const;

const sha256 = (text: unknown): string => createHash('sha256').update(String(text)).digest('hex');

/**
 * @param at the path of a SQLite file, or the URL of a Postgres database
 * @param only this table; undefined: all that can be compared
 */
export const sumsOf = (at: string, only?: string): Promise<TableSums> => {
  const isWanted = (name: string): boolean => (only === undefined ? !NOT_COMPARED.test(name) : name === only);
  return at.startsWith('postgres') ? sumsOfServer(at, isWanted) : sumsOfFile(at, isWanted);
};

async function sumsOfFile(file: string, isWanted: (name: string) => boolean): Promise<TableSums> {
  const database = new Database(file, { fileMustExist: true });
  database.function('digest_of', { deterministic: true }, (text) => (text === null ? null : sha256(text)));
  try {
    const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    const compared = (names as string[]).filter(isWanted);
    return Object.fromEntries(
      compared.map((name) => {
        const columns = database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(name);
        const rows = database.prepare(selectOf(name, columns as string[], 'digest_of(??)')).all();
        return [name, sumOf(rows as object[])];
      }),
    );
  } finally {
    database.close();
  }
}

async function sumsOfServer(url: string, isWanted: (name: string) => boolean): Promise<TableSums> {
  const reader = await openServer(url);
  try {
    const found = await reader.all<{ name: string; columns: string }>(
      `SELECT c.table_name AS name, string_agg(c.column_name, ',') AS columns FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
       WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' GROUP BY 1`,
    );
    const sums: Record<string, TableSum> = {};
    for (const { name, columns } of found.filter(({ name }) => isWanted(name))) {
      const digest = "encode(sha256(convert_to(??, 'UTF8')), 'hex')";
      sums[name] = sumOf(await reader.all<object>(selectOf(name, columns.split(','), digest)));
    }
    return sums;
  } finally {
    await reader.close();
  }
}

function selectOf(table: string, columns: readonly string[], digest: string): string {
  const shown = columns.map((name) =>
    table === LARGE.table && name === LARGE.column
      ? `${digest.replace('??', `"${name}"`)} AS "${name}"`
      : `"${name}"`,
  );
  return `SELECT ${shown.join(', ')} FROM "${table}" ${ROWS_COMPARED[table] ?? ''}`;
}

const sumOf = (rows: readonly object[]): TableSum => ({
  rows: rows.length,
  sha256: sha256(rows.map(plainRow).sort().join('\n')),
});

/** Tables that differ, in words; none for two databases with the same contents. */
export function differences(one: TableSums, other: TableSums): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return names
    .filter((name) => one[name]?.sha256 !== other[name]?.sha256)
    .map((name) => `${name} (${one[name]?.rows ?? 'no'} and ${other[name]?.rows ?? 'no'} rows)`);
}
