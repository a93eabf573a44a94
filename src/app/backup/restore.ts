import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Keyring } from '#kernel/crypto.ts';
import { findDrift } from '#kernel/db/drift.ts';
import { lockFile } from '#kernel/db/server-lock.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import type { StagedObject } from '#kernel/storage/types.ts';
import {
  damaged,
  type Manifest,
  type Opening,
  openWorkFolder,
  type Part,
  type ReadMember,
  type Sealing,
  stampOf,
  type WorkFolder,
} from '#platform/backup/index.ts';
import { endAll } from '#platform/sessions/index.ts';
import { copyInstallation } from '../copy-installation.ts';
import { openTarget } from '../copy-target.ts';
import { atDatabase, inspected, rebuildIndexes } from '../inspected.ts';
import { migrations } from '../migrations.ts';
import { checkImage } from './check-image.ts';
import { countTables, migratorOf, openImage } from './image.ts';
import type { BackupWatcher } from './options.ts';
import { keepPrevious } from './previous.ts';
import { keyFor } from './restore-key.ts';
import { storagesOf } from './source.ts';
import {
  beginSwap,
  dropPrepared,
  finishSwap,
  prepareDatabase,
  preparedSpool,
  prepareMasterKey,
  type Swap,
} from './swap.ts';
import { type PresentState, sqliteFileOf } from './target.ts';
import { verifyArchive } from './verify.ts';

export interface RestoreOptions {
  readonly config: Config;
  readonly configFile: string | null;
  /** Name of the backup, for messages. */
  readonly name: string;
  readonly parts: readonly Part[];
  /** Text of a master key that was given. */
  readonly masterKey: string | null;
  readonly opening: Opening | null;
  /** For the backup of what is there now. */
  readonly sealing: Sealing | null;
  readonly watcher: BackupWatcher;
}

/** What was restored. */
export interface Restored {
  readonly manifest: Manifest;
  readonly tables: number;
  readonly rows: number;
  /** Bundles, pictures and waiting events. */
  readonly files: number;
  /** Where what was there before is kept; null when nothing was. */
  readonly previous: string | null;
  /** The configuration of the backup, to compare; null when it has none. */
  readonly configFile: string | null;
}

type Staged = { readonly object: StagedObject; readonly location: string };
interface Taken {
  readonly objects: Staged[];
  readonly spool: { folder: string; file: string; bytes: Buffer }[];
  config: Buffer | null;
  sealedKey: Buffer | null;
}

/**
 * Restores a backup: all of it is unpacked and verified before anything is replaced. What is replaced is backed up
 * first; a restore that is killed leaves the old state, the new one, or a note that `restore --continue` goes on from.
 *
 * @param state of the target, which somebody has agreed to have replaced
 * @throws AppError VERIFICATION_FAILED (6), CONFLICT (5), UNAUTHORIZED (4)
 */
export async function restoreArchive(
  source: AsyncIterable<Uint8Array>,
  options: RestoreOptions,
  state: PresentState,
): Promise<Restored> {
  const { config, parts } = options;
  const file = sqliteFileOf(config);
  const withDatabase = parts.includes('db');
  const lock =
    withDatabase && file !== null && existsSync(file) ? await lockFile(file, config.dataDir) : null;
  const work = await openWorkFolder(config.dataDir);
  const taken: Taken = { objects: [], spool: [], config: null, sealedKey: null };
  try {
    dropPrepared(config, file);
    const { manifest, image } = await unpack(source, options, work, taken);
    const key = withDatabase ? await keyFor(options, manifest, taken.sealedKey) : null;
    if (withDatabase) await readyImage(config, image, manifest, key?.keyring ?? null);
    options.watcher.stage('storing files', 0);
    const previous =
      withDatabase && state.kind !== 'empty'
        ? await keepPrevious({ ...options, stamp: stampNow() }, state)
        : null;
    for (const { object, location } of taken.objects) await object.keep(location);
    const swap = swapOf(options, manifest, key?.isInstalled ?? false);
    for (const { folder, file, bytes } of withDatabase ? taken.spool : [])
      await writeFile(preparedSpool(config, folder, file), bytes, { mode: 0o600 });
    if (key?.isInstalled) prepareMasterKey(config, key.text);
    if (withDatabase) await replace(options, swap, image);
    const configFile = taken.config === null ? null : keepConfig(config, taken.config);
    const rows = Object.values(manifest.tables).reduce((sum, count) => sum + count, 0);
    return {
      manifest,
      tables: withDatabase ? Object.keys(manifest.tables).length : 0,
      rows: withDatabase ? rows : 0,
      files: taken.objects.length + (withDatabase ? taken.spool.length : 0),
      previous,
      configFile,
    };
  } finally {
    for (const { object } of taken.objects) await object.discard();
    work.remove();
    await lock?.release();
  }
}

const MOST_SMALL_BYTES = 16 * 1024 ** 2;

/** Reads and verifies all of it; files go beside their places. */
async function unpack(
  source: AsyncIterable<Uint8Array>,
  { config, parts, opening, watcher }: RestoreOptions,
  work: WorkFolder,
  taken: Taken,
): Promise<{ manifest: Manifest; image: string }> {
  const storages = storagesOf(config);
  watcher.stage('verifying the backup', 0);
  const take = async (
    { member, size, name }: ReadMember,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<void> => {
    if (member.kind === 'object') {
      if (!parts.includes(member.storage)) return;
      const object = await storages[member.storage].stage(bytes, size);
      taken.objects.push({ object, location: member.location });
      return;
    }
    if (size > MOST_SMALL_BYTES) throw damaged(`${name} in the backup is too large`);
    const whole = await buffer(bytes);
    if (member.kind === 'spool') taken.spool.push({ folder: member.folder, file: member.file, bytes: whole });
    else if (member.kind === 'config' && parts.includes('config')) taken.config = whole;
    else if (member.kind === 'masterKey') taken.sealedKey = whole;
  };
  const onBytes = (done: number): void => watcher.progress(done, 0);
  return verifyArchive(
    source,
    { work, clock: systemClock, keyring: null, opening, onBytes, take },
    { keepImage: true },
  );
}

/** Brings an image to the schema of this program, and ends the sessions in it. */
async function readyImage(
  config: Config,
  image: string,
  { database, tables }: Manifest,
  keyring: Keyring | null,
): Promise<void> {
  const opened = await openImage(image);
  try {
    const migrator = migratorOf(opened, systemClock);
    await migrator.up();
    const { applied } = await migrator.status();
    const names = new Set(applied.map(({ name }) => name));
    const [drift] = await findDrift(
      opened,
      migrations.filter(({ name }) => names.has(name)),
    );
    if (drift)
      throw damaged(
        `the database in the backup has another schema than appctl makes: ${drift.line.slice(0, 200)}`,
      );
    await endAll(opened);
    await checkImage(opened, { tables: await countTables(opened), clock: systemClock, keyring });
  } finally {
    await opened.close();
  }
  // What follows from tables, such as an index over words, is not in an image of Postgres.
  if (database === 'postgres' && Object.keys(tables).length > 0) await rebuildIndexes(config, urlOf(image));
}

const urlOf = (image: string): string => `sqlite:${image}`;

const stampNow = (): string => stampOf(isoTime(systemClock.epochMs()));

const swapOf = (
  { config, name }: RestoreOptions,
  { installation, masterKeyId }: Manifest,
  hasMasterKey: boolean,
): Swap => ({
  backup: name,
  databaseFile: sqliteFileOf(config),
  hasMasterKey,
  installation: installation === null || masterKeyId === null ? null : { id: installation, masterKeyId },
  stamp: stampNow(),
});

async function replace({ config, watcher }: RestoreOptions, swap: Swap, image: string): Promise<void> {
  if (swap.databaseFile !== null) {
    await prepareDatabase(image, swap.databaseFile);
    beginSwap(config, swap);
    return finishSwap(config, swap);
  }
  await inspected(atDatabase(config, urlOf(image)), async (source) => {
    const target = await openTarget(source, config.database.url, swap.installation?.id ?? '');
    try {
      beginSwap(config, swap);
      const begins = (plan: { tables: readonly { rows: number }[] }) =>
        watcher.stage(
          'restoring rows',
          plan.tables.reduce((sum, { rows }) => sum + rows, 0),
        );
      const progress = (rows: number) => watcher.progress(rows, 0);
      const copies = await copyInstallation(source, target, swap.installation?.id ?? '', {
        begins,
        progress,
      });
      const wrong = copies.filter(({ checksumOk }) => !checksumOk).map(({ name }) => name);
      if (wrong.length > 0)
        throw damaged(
          `the restored database differs from the backup in: ${wrong.join(', ')}`,
          'run the restore again',
        );
    } finally {
      await target.close();
    }
  });
  await finishSwap(config, swap);
}

/** Never in the place of the one that is in force: paths and addresses are those of another machine, perhaps. */
function keepConfig(config: Config, bytes: Buffer): string {
  const path = join(config.dataDir, 'restored-appctl.toml');
  writePrivateFile(path, bytes.toString('utf8'));
  return path;
}
