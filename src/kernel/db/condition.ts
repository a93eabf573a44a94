import { statSync } from 'node:fs';
import type { Database, Db } from './database.ts';
import { listTables } from './schema.ts';

/** Questions about the condition of a database as a whole: for `status`, `doctor` and the panel. */

/** Bytes that the database takes on disk. */
export async function databaseSize({ db }: Database): Promise<number> {
  if (db.dialect === 'postgres') {
    const { rows } = (await db.knex.raw('SELECT pg_database_size(current_database()) AS bytes')) as {
      rows: { bytes: number }[];
    };
    return Number(rows[0]?.bytes ?? 0);
  }
  return (await pragmaNumber(db, 'PRAGMA page_count')) * (await pragmaNumber(db, 'PRAGMA page_size'));
}

/** How much a table holds, as far as the database knows without reading it. */
export interface TableSize {
  readonly name: string;
  /** With its indexes; null where only reading all of the database would tell. */
  readonly bytes: number | null;
  /** An estimate; null where there is none. */
  readonly rows: number | null;
}

/** SQLite tells how large tables are by reading every page, and answers nobody meanwhile. */
const MOST_READ_BYTES = 8_388_608;

/** The largest tables, the largest first. @param databaseBytes of which it depends how much may be read */
export async function largestTables(
  { db }: Database,
  limit: number,
  databaseBytes: number,
): Promise<TableSize[]> {
  if (db.dialect === 'postgres') return largestOfPostgres(db, limit);
  const rows = await rowsOfSqlite(db);
  const bytes = databaseBytes <= MOST_READ_BYTES ? await bytesOfSqlite(db) : new Map<string, number>();
  const all = (await listTables(db)).map((name) => ({
    name,
    bytes: bytes.get(name) ?? null,
    rows: rows.get(name) ?? null,
  }));
  // What cannot be measured may be the largest of all: it is named, and not cut off.
  const unknown = all.filter((one) => one.bytes === null && one.rows === null);
  const known = all
    .filter((one) => !unknown.includes(one))
    .sort((one, other) => (other.bytes ?? 0) - (one.bytes ?? 0) || (other.rows ?? 0) - (one.rows ?? 0));
  return [...known.slice(0, Math.max(0, limit - unknown.length)), ...unknown];
}

/** Without those that hold an index over words, as `listTables`. */
async function largestOfPostgres(db: Db, limit: number): Promise<TableSize[]> {
  const { rows } = (await db.knex.raw(
    `SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes, CAST(c.reltuples AS bigint) AS rows FROM pg_class c
      WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS regnamespace)
        AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.atttypid = CAST('tsvector' AS regtype))
      ORDER BY 2 DESC, 1 LIMIT ?`,
    [limit],
  )) as { rows: { name: string; bytes: unknown; rows: unknown }[] };
  return rows.map(({ name, bytes, rows }) => ({
    name,
    bytes: Number(bytes),
    // -1 before the first count.
    rows: Number(rows) < 0 ? null : Number(rows),
  }));
}

/**
 * As many as there ever were at once, at most, of tables whose rows have numbers: the highest number of a row is found without reading
 * the others.
 */
async function rowsOfSqlite(db: Db): Promise<Map<string, number>> {
  const tables = (await db.knex.raw(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr = 0 AND name NOT LIKE 'sqlite_%'",
  )) as { name: string }[];
  const questions = tables.map(() => 'SELECT ? AS name, (SELECT max(rowid) FROM ??) AS n');
  const rows = (await db.knex.raw(
    questions.join(' UNION ALL '),
    tables.flatMap(({ name }) => [name, name]),
  )) as { name: string; n: number | null }[];
  return new Map(rows.map(({ name, n }) => [name, Number(n ?? 0)]));
}

async function bytesOfSqlite(db: Db): Promise<Map<string, number>> {
  const rows = (await db.knex.raw(
    `SELECT m.tbl_name AS name, sum(s.pgsize) AS bytes FROM dbstat s JOIN sqlite_master m ON m.name = s.name
      WHERE s.aggregate = TRUE AND m.tbl_name NOT LIKE 'sqlite_%' GROUP BY 1`,
  )) as { name: string; bytes: number }[];
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** What SQLite's own check finds, at most 20 lines; nothing for Postgres, which checks its pages as it reads them. */
export async function integrityProblems({ db }: Database): Promise<string[]> {
  if (db.dialect === 'postgres') return invalidIndexes(db);
  const rows = (await db.knex.raw('PRAGMA integrity_check(20)')) as Record<string, string>[];
  return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok');
}

/** Indexes that Postgres gave up building: they are never used and let duplicates pass. */
async function invalidIndexes(db: Db): Promise<string[]> {
  const { rows } = (await db.knex.raw(
    'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid ORDER BY 1',
  )) as { rows: { name: string }[] };
  return rows.map(({ name }) => `index ${name} is invalid`);
}

/** Foreign keys that do not hold: rows that refer to nothing, or constraints that were never checked. */
export async function foreignKeyProblems({ db }: Database): Promise<string[]> {
  if (db.dialect === 'postgres') {
    const { rows } = (await db.knex.raw(
      "SELECT conrelid::regclass::text AS name, conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated ORDER BY 1, 2",
    )) as { rows: { name: string; conname: string }[] };
    return rows.map(({ name, conname }) => `${name}: ${conname} was never checked`);
  }
  const rows = (await db.knex.raw('PRAGMA foreign_key_check')) as {
    table: string;
    rowid: number;
    parent: string;
  }[];
  return rows
    .slice(0, 20)
    .map(({ table, rowid, parent }) => `${table} row ${rowid} refers to no row of ${parent}`);
}

/** Bytes of SQLite's write-ahead log; null for Postgres and for a database without a file. */
export function walBytes(database: Database): number | null {
  if (database.dialect !== 'sqlite') return null;
  const file = `${database.displayUrl.slice('sqlite:'.length)}-wal`;
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Writes the write-ahead log back into a SQLite database and empties it, as far as readers allow. */
export async function emptyWal(database: Database): Promise<void> {
  if (database.dialect !== 'sqlite') return;
  const { default: Driver } = await import('better-sqlite3');
  // A connection of its own: the reader of `database` may not write, and its writer only works in transactions.
  const connection = new Driver(database.displayUrl.slice('sqlite:'.length), { timeout: 1000 });
  try {
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
}

/** The clock of the database server, epoch milliseconds; null where it is this machine's own. */
export async function serverClockMs({ db }: Database): Promise<number | null> {
  if (db.dialect !== 'postgres') return null;
  const { rows } = (await db.knex.raw('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms')) as {
    rows: { ms: string }[];
  };
  return Number(rows[0]?.ms);
}

async function pragmaNumber(db: Db, sql: 'PRAGMA page_count' | 'PRAGMA page_size'): Promise<number> {
  const rows = (await db.knex.raw(sql)) as Record<string, number>[];
  return Number(Object.values(rows[0] ?? {})[0] ?? 0);
}
