import type { Knex } from 'knex';
import { type Clock, isoTime } from '../clock.ts';
import { sha256Hex } from '../crypto.ts';
import { AppError } from '../errors.ts';
import type { Database, Db, DialectName } from './database.ts';
import { listTables, lockMigrations } from './schema.ts';

/** One step of the schema. Merged ones are never edited: their checksum is compared (M23). */
export interface Migration {
  /** Without file extension: the same name in the source tree and in the executable. */
  readonly name: string;
  up(knex: Knex, dialect: DialectName): Promise<void>;
  /** Absent when the step cannot be undone. */
  down?(knex: Knex, dialect: DialectName): Promise<void>;
}

export interface Applied {
  name: string;
  at: string;
  ms: number;
  checksum: string;
}

export interface MigrationStatus {
  applied: Applied[];
  pending: { name: string; reversible: boolean }[];
  /** Applied by a newer program, unknown to this one. */
  unknown: string[];
  /** Id of the installation of which this database is a copy that is not complete; null for any other database. */
  unfinishedCopyOf: string | null;
}

export interface Migrator {
  status(): Promise<MigrationStatus>;
  /** What `up` or `down` would do, with the same refusals. */
  plan(direction: 'up' | 'down', until: { to?: string; count?: number }): Promise<string[]>;
  /** Applies pending steps in order, each in a transaction of its own; `to` and `count` stop earlier. */
  up(until?: { to?: string; count?: number }): Promise<string[]>;
  /** Reverts the newest steps. Throws CONFLICT before the first change when one of them cannot be undone. */
  down(until: { to?: string; count?: number }): Promise<string[]>;
  /** Names of applied steps whose checksum differs from this program's. */
  changed(): Promise<string[]>;
}

export const MIGRATIONS_TABLE = 'schema_migrations';
/**
 * The row that marks a database as a copy that is not complete, with the id of the copied installation as its checksum.
 * Among the migrations, because every program reads them before it works with a database, an older one too: to it this is
 * the step of a newer program (decision 0100).
 */
export const UNFINISHED_COPY = 'unfinished-copy';

const conflict = (message: string, hint: string): AppError =>
  new AppError('CONFLICT', 409, message, { details: { hint } });

/**
 * Runs the imported list of migrations. Safe beside other processes: each step takes the migration lock in its
 * own transaction and looks again whether it is still to do.
 */
export function createMigrator(database: Database, migrations: readonly Migration[], clock: Clock): Migrator {
  const byName = new Map(migrations.map((migration) => [migration.name, migration]));
  const read = () => readStatus(database.db, migrations);
  const plan: Migrator['plan'] = async (direction, until) => {
    const { applied, pending, unknown } = await read();
    refuseNewer(unknown);
    if (direction === 'up')
      return cut(
        pending.map((step) => step.name),
        until,
      );
    const names = cut(applied.map((step) => step.name).reverse(), until);
    const fixed = names.find((name) => !byName.get(name)?.down);
    if (fixed) throw conflict(`${fixed} cannot be reverted`, 'restore the backup that was made before it');
    return names;
  };
  return {
    status: read,
    plan,
    async up(until = {}) {
      const done: string[] = [];
      for (const name of await plan('up', until)) {
        if (await applyStep(database, byName.get(name) as Migration, clock)) done.push(name);
      }
      return done;
    },
    async down(until) {
      const names = await plan('down', until);
      for (const name of names) await revertStep(database, byName.get(name) as Migration);
      return names;
    },
    async changed() {
      const { applied } = await read();
      const sums = await Promise.all(
        applied.map(({ name }) => checksumOf(byName.get(name), database.dialect)),
      );
      return applied
        .filter((step, index) => sums[index] !== null && sums[index] !== step.checksum)
        .map((s) => s.name);
    },
  };
}

function refuseNewer(unknown: string[]): void {
  if (unknown.length === 0) return;
  throw conflict(
    `the database was migrated by a newer appctl (it has ${unknown.join(', ')})`,
    'run the newer appctl, or restore the backup that was made before the upgrade',
  );
}

function cut(names: string[], { to, count }: { to?: string; count?: number }): string[] {
  const end = to === undefined ? names.length : names.indexOf(to) + 1;
  if (to !== undefined && end === 0) throw new AppError('NOT_FOUND', 404, `migration ${to} was not found`);
  return names.slice(0, Math.min(end, count ?? names.length));
}

async function readStatus(db: Db, migrations: readonly Migration[]): Promise<MigrationStatus> {
  const tables = await listTables(db);
  const all: Applied[] = tables.includes(MIGRATIONS_TABLE)
    ? await db.knex(MIGRATIONS_TABLE).select('name', 'at', 'ms', 'checksum').orderBy('name')
    : [];
  const rows = all.filter(({ name }) => name !== UNFINISHED_COPY);
  const applied = new Set(rows.map((row) => row.name));
  const known = new Set(migrations.map((migration) => migration.name));
  return {
    applied: rows,
    pending: migrations
      .filter(({ name }) => !applied.has(name))
      .map(({ name, down }) => ({ name, reversible: down !== undefined })),
    unknown: [...applied].filter((name) => !known.has(name)),
    unfinishedCopyOf: all.find(({ name }) => name === UNFINISHED_COPY)?.checksum ?? null,
  };
}

async function applyStep(database: Database, migration: Migration, clock: Clock): Promise<boolean> {
  const checksum = (await checksumOf(migration, database.dialect)) as string;
  return database.transaction(async (db) => {
    await lockMigrations(db);
    await makeMigrationsTable(db);
    if (await db.knex(MIGRATIONS_TABLE).where({ name: migration.name }).first('name')) return false;
    const started = clock.monotonicMs();
    await migration.up(db.knex, db.dialect);
    const ms = Math.round(clock.monotonicMs() - started);
    await db
      .knex(MIGRATIONS_TABLE)
      .insert({ name: migration.name, at: isoTime(clock.epochMs()), ms, checksum });
    return true;
  });
}

async function revertStep(database: Database, migration: Migration): Promise<void> {
  await database.transaction(async (db) => {
    await lockMigrations(db);
    if ((await db.knex(MIGRATIONS_TABLE).where({ name: migration.name }).delete()) === 0) return;
    await migration.down?.(db.knex, db.dialect);
  });
}

/** Makes the table that says which migrations were applied, unless it is there. */
export async function makeMigrationsTable(db: Db): Promise<void> {
  if ((await listTables(db)).includes(MIGRATIONS_TABLE)) return;
  await db.knex.schema.createTable(MIGRATIONS_TABLE, (t) => {
    t.text('name').primary();
    t.text('at').notNullable();
    t.integer('ms').notNullable();
    t.text('checksum').notNullable();
  });
}

/** SHA-256 of the SQL that a step produces in a dialect: equal in the source tree and in the executable. */
async function checksumOf(migration: Migration | undefined, dialect: DialectName): Promise<string | null> {
  if (!migration) return null;
  const { recordSql } = await import('./sql-recorder.ts');
  return sha256Hex((await recordSql(dialect, (knex) => migration.up(knex, dialect))).join(';\n'));
}
