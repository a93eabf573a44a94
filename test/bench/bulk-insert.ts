// Many rows at once, on a connection of its own.
import Driver from 'better-sqlite3';
import pg from 'pg';
import type { Tables } from './seed-rows.ts';

export interface BulkInsert {
  insert(tables: Tables): Promise<void>;
  /** Leaves files and statistics as a database has them that has run for a while, and closes. */
  finish(): Promise<void>;
}

/** @param url `sqlite:PATH` or `postgres://…` of a database with the current schema */
export async function openBulkInsert(url: string): Promise<BulkInsert> {
  return url.startsWith('sqlite:') ? onSqlite(url.slice('sqlite:'.length)) : onPostgres(url);
}

function onSqlite(path: string): BulkInsert {
  const connection = new Driver(path);
  return {
    async insert(tables) {
      connection.exec('BEGIN IMMEDIATE');
      for (const [table, rows] of tables) {
        const columns = Object.keys(rows[0] ?? {});
        const places = columns.map(() => '?').join(', ');
        const statement = connection.prepare(
          `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`,
        );
        for (const row of rows) statement.run(columns.map((column) => sqliteValue(row[column])));
      }
      connection.exec('COMMIT');
    },
    async finish() {
      connection.pragma('wal_checkpoint(TRUNCATE)');
      connection.close();
    },
  };
}

function sqliteValue(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

async function onPostgres(url: string): Promise<BulkInsert> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async insert(tables) {
      await client.query('BEGIN');
      for (const [table, rows] of tables) {
        const columns = Object.keys(rows[0] ?? {}).join(', ');
        const source = `json_populate_recordset(null::${table}, $1::json)`;
        await client.query(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${source}`, [
          JSON.stringify(rows),
        ]);
      }
      await client.query('COMMIT');
    },
    async finish() {
      await client.query('VACUUM ANALYZE');
      await client.query('CHECKPOINT');
      await client.end();
    },
  };
}
