// The program's schema on an empty database, applied once and copied for each test file.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#kernel/clock.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import { createMigrator } from '#kernel/db/migrate.ts';
import { migrations } from '../../src/app/migrations.ts';
import { scratchFolder } from './scratch-folder.ts';

/** Before every test's clock, the machine's and the one that stands still: a step from the future is a finding. */
const past: Clock = { epochMs: () => Date.parse('2026-01-01T00:00:00.000Z'), monotonicMs: () => 0 };

/** Applies every migration to an empty database. Nobody is connected to it afterwards. @param url as APPCTL_DATABASE_URL */
export async function applySchema(url: string): Promise<void> {
  const options = { poolSize: 1, busyTimeoutMs: 5000, create: true, onError: () => undefined };
  const database = await openDatabase(url, options);
  try {
    await createMigrator(database, migrations, past).up();
  } finally {
    await database.close();
  }
}

let sqliteFile: Promise<Buffer> | undefined;

/** The bytes of a SQLite database with the schema; made once in each process that runs tests. */
export function migratedSqliteFile(): Promise<Buffer> {
  sqliteFile ??= makeSqliteFile();
  return sqliteFile;
}

async function makeSqliteFile(): Promise<Buffer> {
  const folder = scratchFolder('appctl-schema-');
  try {
    const path = join(folder, 'appctl.db');
    await applySchema(`sqlite:${path}`);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
