// A database of its own for each test file, of the kind that the vitest project names.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { migratedSqliteFile } from './migrated-schema.ts';
import { scratchFolder } from './scratch-folder.ts';

/** `url` is what `APPCTL_DATABASE_URL` takes; `drop` removes the database, with sessions still open on it. */
export type FreshDatabase = { url: string; drop(): Promise<void> };

/**
 * Makes an empty database: a SQLite file in a new folder, or a database on the test run's Postgres server.
 * Files named `*.db.test.ts` run once for each kind, others on SQLite alone.
 * @returns its URL; drop it in `afterAll`
 */
export function freshDatabaseUrl(): Promise<FreshDatabase> {
  return inject('databaseKind') === 'postgres' ? freshPostgres(inject('postgresUrl')) : freshSqlite();
}

/**
 * As `freshDatabaseUrl`, with the program's schema: for files that are not about setup or migrations. Applying the
 * migrations anew costs more than most files spend on their tests.
 */
export async function migratedDatabaseUrl(): Promise<FreshDatabase> {
  if (inject('databaseKind') === 'postgres') {
    return freshPostgres(inject('postgresUrl'), inject('postgresTemplate'));
  }
  return freshSqlite(await migratedSqliteFile());
}

async function freshSqlite(content?: Buffer): Promise<FreshDatabase> {
  const folder = scratchFolder('appctl-sqlite-');
  const path = join(folder, 'appctl.db');
  if (content !== undefined) writeFileSync(path, content);
  const drop = async () => rmSync(folder, { recursive: true, force: true });
  return { url: `sqlite:${path}`, drop };
}

let made = 0;

/**
 * Makes a database on a Postgres server.
 * @param serverUrl names a database of that server and a role that may create others
 * @param template name of the database that is copied; the default is an empty one
 * @returns its URL, and how to drop it
 * @throws Error of pg when the server does not answer or refuses
 */
export async function freshPostgres(serverUrl: string, template = 'template0'): Promise<FreshDatabase> {
  made += 1;
  // The start time tells runs apart that share one server and happen to reuse a process id.
  const name = `appctl_test_${Math.round(performance.timeOrigin)}_${process.pid}_${made}`;
  // Copied as files, not page by page through the log: half of the time to make, and a third to drop.
  await runOn(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return { url: url.href, drop: () => runOn(serverUrl, `drop database if exists ${name} with (force)`) };
}

const runOn = (serverUrl: string, sql: string): Promise<void> => runOnPostgres(serverUrl, [sql]);

/** Runs statements on a session of its own, one after the other. */
export async function runOnPostgres(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}
