import { readFileSync } from 'node:fs';
import { isFarAhead } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { ConfigProblem } from '#kernel/config/errors.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Database, Db } from '#kernel/db/database.ts';
import { defineIds } from '#kernel/ids.ts';
import type { Log } from '#kernel/log.ts';
import type { LastCopy } from './last-copy.ts';
import * as repo from './repository.ts';
import { servedFile } from './trace.ts';

const ids = defineIds({ installation: 'ins' });

/** Id of the master key that the database's secrets are sealed with; null before the first start. */
export const readMasterKeyId = (ctx: Pick<Ctx, 'db'>): Promise<string | null> => repo.find(ctx, 'masterKey');

/** Binds the database to a master key, unless a racing start was faster; answers which key it is bound to. */
export const claimMasterKeyId = (ctx: Ctx, keyId: string): Promise<string> =>
  ctx.tx(async (ctx) => {
    await repo.insert(ctx, 'masterKey', keyId);
    return (await repo.find(ctx, 'masterKey')) as string;
  });

/** Id of the installation; null before the first start of a program that gives one. */
export const readInstallationId = (ctx: Pick<Ctx, 'db'>): Promise<string | null> =>
  repo.find(ctx, 'installation');

/** Gives the installation its id, unless it has one. */
export const claimInstallationId = (ctx: Ctx): Promise<string> =>
  ctx.tx(async (ctx) => {
    await repo.insert(ctx, 'installation', ctx.newId(ids.installation));
    return (await repo.find(ctx, 'installation')) as string;
  });

/** The address under which a server was last reached; null before the first start that had one. */
export const readServedAt = (ctx: Ctx): Promise<repo.ServedAt | null> => repo.findServed(ctx);

/**
 * Keeps the address of a server that starts: commands that are told no base_url make their links with it. Of several
 * servers on one database those that were told an address count before those that made it out of what they listen on.
 *
 * @param isShared whether other servers may work on the same database
 */
export const keepServedAt = (ctx: Ctx, served: repo.ServedAt, isShared: boolean): Promise<void> =>
  ctx.tx(async (ctx) => {
    const before = await repo.findServed(ctx);
    if (before?.url === served.url && before.isSet === served.isSet) return;
    if (isShared && before?.isSet === true && !served.isSet) return;
    await repo.writeServed(ctx, served);
  });

/** When somebody said that today's master key is stored in a safe place too; null while nobody has. */
export async function masterKeyKeptAt(ctx: Ctx): Promise<string | null> {
  const kept = await repo.findKept(ctx);
  return kept?.keyId === ctx.keyring.keyId ? kept.at : null;
}

/** Remembers that somebody has stored the master key in a safe place. */
export const keepMasterKeyKept = (ctx: Ctx): Promise<void> =>
  ctx.tx((ctx) => repo.writeKept(ctx, { keyId: ctx.keyring.keyId, at: ctx.now() }));

/** The newest backup that a server of a shared database noted: the job runs on one of them. Null on SQLite. */
export const readBackupNote = async (ctx: Pick<Ctx, 'db'>): Promise<repo.BackupNote | null> =>
  repo.mayHaveOthers(ctx) ? repo.findBackupNote(ctx) : null;

/**
 * Tells the other servers of a shared database of a verified backup, unless they know a newer one. What a wrong clock
 * noted gives way: no backup would be known any more until that moment comes.
 */
export async function keepBackupNote(ctx: Ctx, note: repo.BackupNote): Promise<void> {
  if (!repo.mayHaveOthers(ctx)) return;
  await ctx.tx(async (ctx) => {
    const before = await repo.findBackupNote(ctx);
    const isNewer = before === null || before.createdAt < note.createdAt;
    const isRight = (at: string): boolean => !isFarAhead(at, Date.parse(ctx.now()));
    if (isNewer || (!isRight(before.createdAt) && isRight(note.createdAt)))
      await repo.writeBackupNote(ctx, note);
  });
}

/** What only an empty database, a copy and doctor need: no other command loads it. */
const leftBehind = () => import('./left-behind.ts');

type Placed = Pick<Config, 'dataDir' | 'database' | 'databaseGiven'>;

/** What is wrong with an empty database in place of a filled SQLite file; null when nothing is. */
export const leftBehindProblem = async (config: Placed): Promise<ConfigProblem | null> =>
  (await leftBehind()).leftBehindProblem(config);

/** @throws ConfigError (78) with that problem */
export const refuseLeftBehind = async (config: Placed): Promise<void> =>
  (await leftBehind()).refuseLeftBehind(config);

/** What somebody would miss of a database, in words: `3 licenses and 1 order`. */
export const heldIn = async (db: Db): Promise<string> => (await import('./held-rows.ts')).heldIn(db);

const lastCopy = () => import('./last-copy.ts');

/** Notes a copy that is complete. */
export const noteCopy = async (config: Pick<Config, 'dataDir'>, copy: LastCopy): Promise<void> =>
  (await lastCopy()).noteCopy(config, copy);

/** The last copy of this data directory's installation; null where none was noted. */
export const readLastCopy = async (config: Pick<Config, 'dataDir'>): Promise<LastCopy | null> =>
  (await lastCopy()).readLastCopy(config);

const servingPlace = () => import('./serving-place.ts');

/** A text that stays the same while a database does, however its address is written. */
export const placeOf = async (config: Pick<Config, 'dataDir'>, database: Database): Promise<string> =>
  (await servingPlace()).placeOf(config, database);

/** What is wrong with a database that was left for another one; null when nothing is. */
export const leftDatabaseProblem = async (
  config: Pick<Config, 'dataDir'>,
  database: Database,
  id: string,
): Promise<ConfigProblem | null> => (await servingPlace()).leftDatabaseProblem(config, database, id);

/**
 * Refuses a command that would go on, unnoticed, in a database that its installation has left for another one. A database
 * that the line itself names with --db was meant.
 *
 * @throws ConfigError (78)
 */
export async function refuseLeftDatabase(
  config: Pick<Config, 'dataDir' | 'databaseGiven'>,
  database: Database,
): Promise<void> {
  if (config.databaseGiven.source === 'flag' || !hasMoved(config)) return;
  const id = await readInstallationId(database).catch(() => null);
  if (id !== null) await (await servingPlace()).refuseLeftDatabase(config, database, id);
}

/** Few installations have, so that other commands load nothing for it. */
function hasMoved(config: Pick<Config, 'dataDir'>): boolean {
  try {
    return (JSON.parse(readFileSync(servedFile(config), 'utf8')) as { left: unknown[] }).left.length > 0;
  } catch {
    return false;
  }
}

/** What a copy that somebody may serve means for the server of this installation; null when there is none. */
export const otherCopy = async (
  config: Pick<Config, 'dataDir'>,
  database: Database,
): Promise<{ message: string; hint: string } | null> => (await servingPlace()).otherCopy(config, database);

/** Notes in which database a server starts. @throws ConfigError (78) for one that was left for another one */
export const noteServing = async (
  config: Pick<Config, 'dataDir'>,
  database: Database,
  started: { id: string; now: string; log: Log },
): Promise<void> => (await servingPlace()).noteServing(config, database, started);

/** Notes in which database the installation is after a restore. */
export const noteRestored = async (
  config: Pick<Config, 'dataDir'>,
  database: Database,
  id: string,
): Promise<void> => (await servingPlace()).noteRestored(config, database, id);
