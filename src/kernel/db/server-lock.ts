import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database as Connection } from 'better-sqlite3';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { touchPrivateFile } from '../private-files.ts';
import { type Database, DatabaseUnavailable } from './database.ts';
import { isBusy } from './dialect.ts';
import { type OtherSession, otherSessions, sessionWords } from './sessions.ts';

/** A database that is kept for this process until it is released. */
export interface ServerLock {
  release(): Promise<void> | void;
}

/** A database that no server starts on until it is released. */
export interface CopyLock extends ServerLock {
  /** Looks again. @returns who uses the database; null when this process has it alone */
  users(): Promise<readonly OtherSession[] | null>;
}

/** The process that asks for a lock. */
export interface Locking {
  /** Of the database, with its password. */
  readonly url: string;
  /** Told to whoever comes next. */
  readonly dataDir: string;
}

/** Who holds the lock, for the message to everybody else. */
interface Holder {
  pid: number;
  data_dir: string;
}

/** What a successor asks the lock of its predecessor for. */
const ASK_AGAIN_MS = 200;

/** Long enough for another start to write its name; a server that stops at this moment may end within it too. */
const WAIT_MS = 500;

/**
 * Keeps a database for servers. Several share a Postgres database, and only a copy into it keeps them away. A SQLite
 * file has one server: counters and limits in memory, jobs and webhooks expect to be alone. Commands beside a server are
 * not concerned.
 *
 * @param database opened, so that its file exists
 * @param locking.succeeds the server that holds the file ends when this one serves: its lock is taken over then
 * @throws AppError CONFLICT while another server holds the file, or a copy the Postgres database; DatabaseUnavailable when the lock cannot be written
 */
export async function lockForServer(
  database: Database,
  { url, dataDir, log, succeeds = false }: Locking & { readonly log: Log; readonly succeeds?: boolean },
): Promise<ServerLock> {
  if (database.dialect === 'sqlite')
    return succeeds ? lockAfterwards(fileOf(database), dataDir, log) : lockFile(fileOf(database), dataDir);
  const { shareLock } = await import('./postgres-lock.ts');
  const lock = await shareLock(url, log);
  if (lock.taken) return lock;
  const message = `${database.displayUrl} is the target of a copy (appctl db copy) in ${sessionWords(lock.holders)}`;
  const hint = 'wait until the copy has ended, or stop it, then start the server again';
  throw new AppError('CONFLICT', 409, message, { details: { hint } });
}

/**
 * Keeps a database for a copy into it: no server starts on it meanwhile.
 *
 * @param database opened, so that its file exists
 * @throws AppError CONFLICT while a server holds the SQLite file; of a Postgres database `users` tells it
 */
export async function lockForCopy(database: Database, { url, dataDir }: Locking): Promise<CopyLock> {
  if (database.dialect === 'sqlite')
    return { ...(await lockFile(fileOf(database), dataDir)), users: async () => null };
  const { PostgresLock } = await import('./postgres-lock.ts');
  const lock = new PostgresLock(url, 'exclusive');
  return {
    release: () => lock.release(),
    // Programs without the lock, and commands beside servers, are found by the names of their connections.
    async users() {
      const isTaken = await lock.take();
      const sessions = await otherSessions(database.db);
      if (sessions.length > 0) return sessions;
      return isTaken ? null : lock.holders();
    },
  };
}

const fileOf = ({ displayUrl }: Database): string => displayUrl.slice('sqlite:'.length);

/**
 * Keeps a SQLite file for one process, also one that cannot be opened as a database or is not there yet. The lock is a transaction that stays open on a small database beside the file,
 * `appctl.db-server`: the operating system ends it with the process, also after `kill -9`. Its name comes from the real
 * path, so links and relative paths lead to the same lock.
 */
export async function lockFile(path: string, dataDir: string, waitMs = WAIT_MS): Promise<ServerLock> {
  const { default: Driver } = await import('better-sqlite3');
  const databaseFile = existsSync(path)
    ? realpathSync(path)
    : join(realpathSync(dirname(path)), basename(path));
  const file = `${databaseFile}-server`;
  let connection: Connection | undefined;
  try {
    if (!existsSync(file)) touchPrivateFile(file);
    connection = new Driver(file, { timeout: waitMs });
    take(connection, { pid: process.pid, data_dir: dataDir });
  } catch (error) {
    const failure = connection && isBusy(error) ? heldBy(connection, databaseFile) : unusable(file, error);
    connection?.close();
    throw failure;
  }
  const held = connection;
  return {
    release() {
      held.close();
    },
  };
}

/** Serves beside the one that holds the file, and asks for its lock until that one has ended. */
async function lockAfterwards(path: string, dataDir: string, log: Log): Promise<ServerLock> {
  let lock: ServerLock | null = null;
  let timer: NodeJS.Timeout | undefined;
  const ask = async (): Promise<void> => {
    lock = await lockFile(path, dataDir, 0).catch((error: unknown) => {
      if (!(error instanceof AppError))
        log.warn({ err: error }, 'the lock of the database was not taken over');
      return null;
    });
    if (lock === null) timer = setTimeout(ask, ASK_AGAIN_MS).unref();
  };
  await ask();
  return {
    async release() {
      clearTimeout(timer);
      await lock?.release();
    },
  };
}

/** The name is committed before the lock is taken for good: others can read only what was committed. */
function take(connection: Connection, { pid, data_dir }: Holder): void {
  connection.exec('BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS server (pid, data_dir); DELETE FROM server');
  connection.prepare('INSERT INTO server (pid, data_dir) VALUES (?, ?)').run(pid, data_dir);
  connection.exec('COMMIT; BEGIN IMMEDIATE');
}

function heldBy(connection: Connection, databaseFile: string): AppError {
  const holder = readHolder(connection);
  const process = holder ? `process ${holder.pid}` : 'another process';
  const place = holder ? ` with the data directory ${holder.data_dir}` : '';
  const hint = `stop ${holder ? process : 'the other server'}, or choose another database with --db`;
  return new AppError('CONFLICT', 409, `${databaseFile} is already served by ${process}${place}`, {
    details: { hint },
  });
}

/** Undefined while the other server has not written its name yet. */
function readHolder(connection: Connection): Holder | undefined {
  try {
    return connection.prepare<[], Holder>('SELECT pid, data_dir FROM server').get();
  } catch {
    // The server is refused in any case; only its message says less.
    return undefined;
  }
}

function unusable(file: string, error: unknown): DatabaseUnavailable {
  const hint = `make ${dirname(file)} writable for this user, or remove ${file} if no server is running`;
  return new DatabaseUnavailable(`cannot lock ${file}: ${(error as Error).message}`, { cause: error, hint });
}
