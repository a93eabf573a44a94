import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import {
  createPrivateFile,
  ensurePrivateFolder,
  syncFolder,
  writePrivateFile,
} from '#kernel/private-files.ts';
import { moveFile } from '#kernel/steady-file.ts';
import { conflict } from '#platform/backup/index.ts';
import { keepInstallationFile, noteRestored, restoreJournal } from '#platform/installation/index.ts';
import { migrateState, withinDatabase } from './target.ts';

/** What is still to be done of a restore; everything in it was verified. */
export interface Swap {
  /** Name of the backup, for messages. */
  readonly backup: string;
  /** Of the SQLite file that is replaced; null on Postgres and where the database stays. */
  readonly databaseFile: string | null;
  readonly hasMasterKey: boolean;
  /** Of the installation that is there afterwards; null where the database stays. */
  readonly installation: { readonly id: string; readonly masterKeyId: string } | null;
  /** Ending of the name of what is put aside. */
  readonly stamp: string;
}

const NEXT = 'restore-next';
const nextOf = (databaseFile: string): string => `${databaseFile}.${NEXT}`;
const partOf = (next: string): string => `${next}.part`;
const keyOf = ({ dataDir }: Config): string => join(dataDir, `${NEXT}.key`);
const spoolOf = ({ dataDir }: Config): string => join(dataDir, `${NEXT}-spool`);

/** Removes what an earlier restore had ready when it was killed before it began to replace anything. */
export function dropPrepared(config: Config, databaseFile: string | null): void {
  if (databaseFile !== null)
    for (const file of [nextOf(databaseFile), partOf(nextOf(databaseFile))]) rmSync(file, { force: true });
  rmSync(keyOf(config), { force: true });
  rmSync(spoolOf(config), { recursive: true, force: true });
}

/** Puts a verified image beside the database that it will replace. */
export async function prepareDatabase(image: string, databaseFile: string): Promise<void> {
  const next = nextOf(databaseFile);
  if (!existsSync(dirname(databaseFile))) ensurePrivateFolder(dirname(databaseFile));
  await moveFile(image, next, { part: partOf(next) });
  const file = await open(next, 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

export const prepareMasterKey = (config: Config, text: string): void =>
  writePrivateFile(keyOf(config), `${text.trim()}\n`);

/** Where waiting events of a backup are put until they are taken over. */
export function preparedSpool(config: Config, folder: string, file: string): string {
  const path = join(spoolOf(config), folder);
  ensurePrivateFolder(path);
  return join(path, file);
}

/** Notes what comes now: from here on no program starts, and `restore --continue` ends what a killed restore began. */
export const beginSwap = (config: Config, swap: Swap): void =>
  writePrivateFile(restoreJournal(config), `${JSON.stringify(swap, null, 2)}\n`);

/** @returns null when no restore is under way */
export function readSwap(config: Config): Swap | null {
  const path = restoreJournal(config);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Swap) : null;
}

/** Replaces, by renames; each step may be done already. */
export async function finishSwap(config: Config, swap: Swap): Promise<void> {
  if (swap.databaseFile !== null) replaceDatabase(swap.databaseFile);
  else if (swap.installation !== null) await requireWholeCopy(config, swap);
  if (swap.hasMasterKey && existsSync(keyOf(config))) replaceMasterKey(config, swap.stamp);
  takeSpool(config);
  if (swap.installation !== null) await noteInstallation(config, swap.installation);
  rmSync(restoreJournal(config), { force: true });
  syncFolder(config.dataDir);
}

/** The log of the old database must be gone before the new one has its name: SQLite would apply it. */
function replaceDatabase(file: string): void {
  const next = nextOf(file);
  if (!existsSync(next)) return;
  for (const ending of ['-wal', '-shm', '-journal']) rmSync(file + ending, { force: true });
  renameSync(next, file);
  syncFolder(dirname(file));
}

/** @throws AppError CONFLICT while a Postgres database is half written */
async function requireWholeCopy(config: Config, { backup }: Swap): Promise<void> {
  if ((await migrateState(config)) === 'whole') return;
  throw conflict(
    `the restore of ${backup} was interrupted while it wrote the database`,
    `run it again: appctl restore ${backup}`,
  );
}

function replaceMasterKey(config: Config, stamp: string): void {
  const file = config.masterKeyFile;
  // The old one is never thrown away: other backups may need it.
  if (existsSync(file)) createPrivateFile(`${file}.pre-restore-${stamp}`, readFileSync(file, 'utf8'));
  renameSync(keyOf(config), file);
  syncFolder(dirname(file));
}

function takeSpool(config: Config): void {
  const from = spoolOf(config);
  if (!existsSync(from)) return;
  for (const folder of readdirSync(from)) {
    const to = join(config.dataDir, 'spool', folder);
    ensurePrivateFolder(to);
    for (const file of readdirSync(join(from, folder))) renameSync(join(from, folder, file), join(to, file));
    syncFolder(to);
  }
  rmSync(from, { recursive: true, force: true });
}

async function noteInstallation(
  config: Config,
  installation: { id: string; masterKeyId: string },
): Promise<void> {
  await withinDatabase(config, (database) => noteRestored(config, database, installation.id));
  keepInstallationFile(config, installation);
}
