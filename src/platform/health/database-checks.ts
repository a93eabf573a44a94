import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Check,
  type Finding,
  fail,
  type OpenedDatabase,
  ok,
  onConfig,
  onDatabase,
  skip,
  warn,
} from '#kernel/check.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import {
  databaseSize,
  emptyWal,
  foreignKeyProblems,
  integrityProblems,
  walBytes,
} from '#kernel/db/condition.ts';
import { type Database, DatabaseUnavailable } from '#kernel/db/database.ts';
import { faultOf } from '#kernel/db/faults.ts';
import { availableBytes } from '#kernel/storage/room.ts';
import { leftBehindProblem, UNFINISHED_HINT, unfinishedMessage } from '../installation/index.ts';

const MEBIBYTE = 1_048_576;
/** The checkpoint keeps the write-ahead log below this; a larger one means that a reader never ends. */
const MAX_WAL_BYTES = 68 * MEBIBYTE;
const OLDEST: Readonly<Record<string, number>> = { SQLite: 3.45, PostgreSQL: 15 };

/** @param version such as `SQLite 3.53.1` or `PostgreSQL 18.4` */
export function judgeDatabaseVersion(version: string): Finding {
  const [, product = '', major = '0', minor = '0'] = /^(\w+) (\d+)\.?(\d*)/.exec(version) ?? [];
  const number = Number(major) + Number(minor || 0) / 100;
  const oldest = OLDEST[product] ?? 0;
  if (number >= oldest) return ok(version);
  return fail(
    `${version} is older than ${oldest}, which the program needs`,
    `upgrade to ${product} ${oldest} or newer`,
  );
}

/** @param bytes of the database; @param freeBytes on its disk */
export function judgeSize(bytes: number, freeBytes: number): Finding {
  const text = `the database takes ${Math.ceil(bytes / MEBIBYTE)} MiB`;
  if (bytes <= freeBytes) return ok(text);
  return warn(
    `${text}, more than is free on its disk: no copy can be made before a migration`,
    'free up space, or set APPCTL_BACKUP_DIR to another disk',
  );
}

async function checkMigrations({ database, migrator }: OpenedDatabase): Promise<Finding> {
  const { pending, unknown, unfinishedCopyOf } = await migrator.status();
  if (unfinishedCopyOf !== null)
    return fail(unfinishedMessage(database.displayUrl, unfinishedCopyOf), UNFINISHED_HINT);
  if (unknown.length > 0) {
    return fail(
      `a newer appctl changed the schema: ${unknown.join(', ')}`,
      'run the newer appctl, or restore a backup',
    );
  }
  if (pending.length > 0) {
    return fail(`pending migrations: ${pending.map((step) => step.name).join(', ')}`, 'appctl migrate up');
  }
  const changed = await migrator.changed();
  if (changed.length === 0) return ok('every migration is applied');
  return fail(
    `applied migrations differ from those of this program: ${changed.join(', ')}`,
    'appctl migrate verify',
  );
}

function checkWal(database: Database): Finding {
  const bytes = walBytes(database);
  if (bytes === null) return skip('Postgres manages its own log');
  const text = `the write-ahead log has ${Math.ceil(bytes / MEBIBYTE)} MiB`;
  if (bytes <= MAX_WAL_BYTES) return ok(text);
  return warn(
    `${text}: reads are slow, and some reader never finishes`,
    'run appctl doctor --fix, or stop the reader',
  );
}

function problemsFound(problems: readonly string[], fine: string, hint: string): Finding {
  return problems.length === 0 ? ok(fine) : fail(problems.slice(0, 5).join('; '), hint);
}

/** What cures a database that was not opened. */
function hintOf(failure: unknown): string {
  if (failure instanceof ConfigError) return failure.problems[0]?.hint ?? CONNECT;
  return failure instanceof DatabaseUnavailable ? failure.hint : CONNECT;
}

const CONNECT = 'appctl config check --connect tests the address';

/** Reads go on while a disk is full: only a write shows it. A table that is missing is another check's matter. */
async function tryWriting(database: Database): Promise<Finding> {
  await database.ping();
  try {
    await database.probeWrite();
  } catch (error) {
    const fault = faultOf(error);
    if (fault) return fail(`${database.displayUrl}: ${fault.message}; every change fails`, fault.hint);
  }
  return ok(`${database.displayUrl} can be read and written`);
}

const RESTORE = 'restore a backup; sqlite3 FILE .recover saves what can be read';

export const databaseChecks: readonly Check[] = [
  {
    id: 'db.connect',
    title: 'database connection',
    run: onConfig(async (_config, { opened, failure }) => {
      if (opened) return tryWriting(opened.database);
      if (failure instanceof ConfigError && failure.problems[0]?.key !== 'database.url')
        return skip('the master key is not in place, see keys.master-key');
      return fail((failure as Error).message, hintOf(failure));
    }),
  },
  {
    id: 'db.version',
    title: 'database version',
    run: onDatabase(async ({ database }) => judgeDatabaseVersion(await database.version())),
  },
  {
    id: 'db.migrations',
    title: 'schema',
    run: onDatabase(checkMigrations),
    async fix({ opened, config }) {
      // An empty database beside an installation is no matter of migrations.
      if (opened && config && !(await leftBehindProblem(config))) await opened.migrator.up();
    },
  },
  {
    id: 'db.integrity',
    title: 'pages and indexes',
    isLong: 'daily',
    run: onDatabase(async ({ database }) =>
      problemsFound(await integrityProblems(database), 'nothing is damaged', RESTORE),
    ),
  },
  {
    id: 'db.foreign-keys',
    title: 'references between rows',
    isLong: 'daily',
    run: onDatabase(async ({ database }) =>
      problemsFound(
        await foreignKeyProblems(database),
        'every reference points to an existing row',
        'restore a backup',
      ),
    ),
  },
  {
    id: 'db.wal',
    title: 'write-ahead log',
    run: onDatabase(({ database }) => checkWal(database)),
    async fix({ opened }) {
      if (opened) await emptyWal(opened.database);
    },
  },
  {
    id: 'db.size',
    title: 'database size',
    run: onDatabase(async ({ database }) => {
      const bytes = await databaseSize(database);
      if (database.dialect !== 'sqlite') return ok(`the database takes ${Math.ceil(bytes / MEBIBYTE)} MiB`);
      const free = availableBytes(statfsSync(dirname(database.displayUrl.slice('sqlite:'.length))));
      return judgeSize(bytes, free);
    }),
  },
];
