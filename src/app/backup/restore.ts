import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import { writeSteadily } from '#kernel/steady-file.ts';
import type { StagedObject } from '#kernel/storage/types.ts';
import {
  damaged,
  type Manifest,
  openWorkFolder,
  type Part,
  type ReadMember,
  type WorkFolder,
} from '#platform/backup/index.ts';
import { holdTarget } from './hold-target.ts';
import { keepPrevious } from './previous.ts';
import { type Replacing, readyImage, replace, stampNow, swapOf } from './replace.ts';
import { keyFor } from './restore-key.ts';
import { storagesOf } from './source.ts';
import { dropPrepared, preparedSpool, prepareMasterKey } from './swap.ts';
import { type PresentState, sqliteFileOf } from './target.ts';
import { verifyArchive } from './verify.ts';

export interface RestoreOptions extends Replacing {
  readonly parts: readonly Part[];
  /** Whether what is there now is backed up first. */
  readonly keepsPrevious: boolean;
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
  /** On the disk: events that wait through a long outage are many, and in memory they would take its place. */
  readonly spool: { folder: string; file: string; path: string }[];
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
  const lock = withDatabase ? await holdTarget(config, state) : null;
  const work = await openWorkFolder(config.dataDir);
  const taken: Taken = { objects: [], spool: [], config: null, sealedKey: null };
  try {
    dropPrepared(config, file);
    const { manifest, image } = await unpack(source, options, work, taken);
    const key = withDatabase ? await keyFor(options, manifest, taken.sealedKey) : null;
    if (withDatabase) await readyImage(config, image, manifest, key?.keyring ?? null);
    options.watcher.stage('storing files', 0);
    const previous =
      withDatabase && state.kind !== 'empty' && options.keepsPrevious
        ? await keepPrevious({ ...options, stamp: stampNow() }, state)
        : null;
    for (const { object, location } of taken.objects) await object.keep(location);
    const swap = swapOf(options, manifest, key?.isInstalled ?? false);
    for (const { folder, file, path } of taken.spool) await rename(path, preparedSpool(config, folder, file));
    if (key?.isInstalled) prepareMasterKey(config, key.text);
    if (withDatabase) await replace(options, swap, image);
    const configFile = taken.config === null ? null : keepConfig(config, taken.config);
    const rows = Object.values(manifest.tables).reduce((sum, count) => sum + count, 0);
    return {
      manifest,
      tables: withDatabase ? Object.keys(manifest.tables).length : 0,
      rows: withDatabase ? rows : 0,
      files: taken.objects.length + taken.spool.length,
      previous,
      configFile,
    };
  } finally {
    for (const { object } of taken.objects) await object.discard();
    await work.remove();
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
    if (member.kind === 'spool') {
      if (!parts.includes('db')) return;
      const path = work.file(`event-${taken.spool.length}`);
      await writeSteadily(path, bytes);
      taken.spool.push({ folder: member.folder, file: member.file, path });
      return;
    }
    const whole = await buffer(bytes);
    if (member.kind === 'config' && parts.includes('config')) taken.config = whole;
    else if (member.kind === 'masterKey') taken.sealedKey = whole;
  };
  const onBytes = (done: number): void => watcher.progress(done, 0);
  return verifyArchive(
    source,
    { work, clock: systemClock, keyring: null, opening, onBytes, take },
    { keepImage: true },
  );
}

/** Never in the place of the one that is in force: paths and addresses are those of another machine, perhaps. */
function keepConfig(config: Config, bytes: Buffer): string {
  const path = join(config.dataDir, 'restored-appctl.toml');
  writePrivateFile(path, bytes.toString('utf8'));
  return path;
}
