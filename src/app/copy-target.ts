import { existsSync, rmSync } from 'node:fs';
import { sleep } from '#kernel/clock.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import { identityOf } from '#kernel/db/copy/identity.ts';
import { type Database, DatabaseUnavailable } from '#kernel/db/database.ts';
import { createMigrator, type Migrator } from '#kernel/db/migrate.ts';
import { listTables } from '#kernel/db/schema.ts';
import { type CopyLock, lockForCopy } from '#kernel/db/server-lock.ts';
import { sessionWords } from '#kernel/db/sessions.ts';
import { AppError } from '#kernel/errors.ts';
import { readInstallationId, readMasterKeyId } from '#platform/installation/index.ts';
import type { Instance } from './instance.ts';
import { migrations } from './migrations.ts';

/** What a target holds before the copy. */
export type TargetState =
  /** Nothing, or a schema that nobody ever served. */
  | { readonly kind: 'empty' }
  /** The beginning of a copy of this installation. */
  | { readonly kind: 'unfinished' }
  /** An installation, or the beginning of a copy of another one. `id` is null for one from before there were ids. */
  | { readonly kind: 'filled'; readonly id: string | null; readonly isUnfinished: boolean };

/** The database that a copy is written into, which no server uses or starts on until it is closed. */
export interface CopyTarget {
  /** With its password. */
  readonly url: string;
  readonly database: Database;
  readonly migrator: Migrator;
  readonly state: TargetState;
  /** Looks again, after a wait. @throws AppError CONFLICT (5) when somebody uses it by now */
  requireUnused(): Promise<void>;
  close(): Promise<void>;
}

const LEAVING_MS = 200;
const LEAVING_TRIES = 10;

const conflict = (message: string, hint: string): AppError =>
  new AppError('CONFLICT', 409, message, { details: { hint } });

/**
 * Opens the target, and keeps servers away from it until it is closed.
 *
 * @param installation id of the installation that is copied
 * @throws DatabaseUnavailable (9); AppError CONFLICT (5) when it is the source itself, when a server uses it, or when it
 *   holds what is not the program's
 */
export async function openTarget(source: Instance, url: string, installation: string): Promise<CopyTarget> {
  const database = await openIt(source, url);
  const closings: (() => unknown)[] = [() => database.close()];
  const close = async () => {
    for (const closing of closings) await closing();
  };
  try {
    await requireAnother(source.database, database);
    const file = `${database.displayUrl.slice('sqlite:'.length)}-server`;
    const wasServed = existsSync(file);
    const lock = await lockForCopy(database, { url, dataDir: source.config.dataDir });
    closings.push(() => lock.release());
    const requireUnused = () => requireAlone(database, lock);
    await requireUnused();
    const migrator = createMigrator(database, migrations, source.clock);
    const state = await stateOf(database, migrator, installation);
    // What nobody serves needs no file of the lock beside it: it would say that the copy was served.
    if (database.dialect === 'sqlite' && !(wasServed && state.kind === 'filled'))
      closings.push(() => rmSync(file, { force: true }));
    return { url, database, migrator, requireUnused, close, state };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openIt({ config, ctx }: Instance, url: string): Promise<Database> {
  try {
    return await openDatabase(url, {
      poolSize: config.database.pool,
      busyTimeoutMs: config.database.busyTimeoutMs,
      create: true,
      onError: (error) => ctx.log.warn({ err: error }, 'an idle connection to the target broke'),
    });
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    throw new DatabaseUnavailable(`the target cannot be opened: ${error.message}`, {
      cause: error,
      hint: `correct the address of the target, ${maskUrlPassword(url)}`,
    });
  }
}

/** @throws AppError CONFLICT */
async function requireAnother(source: Database, target: Database): Promise<void> {
  if ((await identityOf(source)) === (await identityOf(target)))
    throw conflict(`source and target are the same database: ${target.displayUrl}`, 'choose another target');
}

/** @throws AppError CONFLICT */
async function requireAlone({ displayUrl }: Database, lock: CopyLock): Promise<void> {
  let users = await lock.users();
  // Those of a process that was killed just now are still on the list for a moment.
  for (let tries = 0; users !== null && tries < LEAVING_TRIES; tries++) {
    await sleep(LEAVING_MS);
    users = await lock.users();
  }
  if (users === null) return;
  throw conflict(
    `${displayUrl} is in use by another appctl: ${sessionWords(users)}`,
    'stop the servers and commands that use the target, then run it again',
  );
}

async function stateOf(database: Database, migrator: Migrator, installation: string): Promise<TargetState> {
  const tables = await listTables(database.db);
  if (tables.length === 0) return { kind: 'empty' };
  const { applied, unfinishedCopyOf } = await migrator.status();
  if (applied.length === 0 && unfinishedCopyOf === null) {
    const named = tables.slice(0, 3).join(', ');
    throw conflict(
      `${database.displayUrl} has tables of another program (${named}${tables.length > 3 ? ', …' : ''})`,
      'choose an empty database as the target',
    );
  }
  if (unfinishedCopyOf === installation) return { kind: 'unfinished' };
  if (unfinishedCopyOf !== null) return { kind: 'filled', id: unfinishedCopyOf, isUnfinished: true };
  if (!tables.includes('settings')) return { kind: 'empty' };
  const id = await readInstallationId(database);
  const wasServed = id !== null || (await readMasterKeyId(database)) !== null;
  return wasServed ? { kind: 'filled', id, isUnfinished: false } : { kind: 'empty' };
}
