import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, Db } from './database.ts';
import type { Migration } from './migrate.ts';
import { describeSchema } from './schema.ts';

/** A difference between the living schema and what the migrations make. */
export interface Drift {
  readonly kind: 'missing' | 'unexpected';
  /** One line of describeSchema. */
  readonly line: string;
}

/** Thrown inside the scratch transaction, so that nothing of it stays. */
class ScratchDone extends Error {}

/** Kept by the migrator itself and made by no migration. */
const isBookkeeping = (line: string): boolean =>
  /\bschema_migrations(_pkey)?\b/.test(line.split(':')[0] ?? '');

/**
 * Replays migrations in a scratch place (a temporary SQLite file, or a Postgres schema inside a transaction that is
 * rolled back) and compares the outcome with the living schema.
 *
 * @param applied the migrations that the database has, in order
 */
export async function findDrift(database: Database, applied: readonly Migration[]): Promise<Drift[]> {
  const [living, intended] = [await describe(database.db), await replay(database, applied)];
  const drift = (lines: string[], others: string[], kind: Drift['kind']): Drift[] =>
    lines.filter((line) => !others.includes(line)).map((line) => ({ kind, line }));
  return [...drift(intended, living, 'missing'), ...drift(living, intended, 'unexpected')];
}

const describe = async (db: Db): Promise<string[]> =>
  (await describeSchema(db)).filter((line) => !isBookkeeping(line));

async function make(db: Db, migrations: readonly Migration[]): Promise<string[]> {
  for (const migration of migrations) await migration.up(db.knex, db.dialect);
  return describe(db);
}

async function replay(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  if (database.dialect === 'postgres') return replayInSchema(database, migrations);
  const { openSqlite } = await import('./sqlite.ts');
  const folder = mkdtempSync(join(tmpdir(), 'appctl-verify-'));
  try {
    const scratch = openSqlite(join(folder, 'scratch.db'), { busyTimeoutMs: 1000, create: true });
    try {
      return await scratch.transaction((db) => make(db, migrations));
    } finally {
      await scratch.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replayInSchema(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  let lines: string[] = [];
  try {
    await database.transaction(async (db) => {
      await db.knex.raw('CREATE SCHEMA appctl_verify_scratch');
      await db.knex.raw('SET LOCAL search_path TO appctl_verify_scratch');
      lines = await make(db, migrations);
      throw new ScratchDone();
    });
  } catch (error) {
    if (!(error instanceof ScratchDone)) throw error;
  }
  return lines;
}
