import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { AppError } from '#kernel/errors.ts';
import { ensurePrivateFolder, syncFolder } from '#kernel/private-files.ts';
import { conflict, type Sealing } from '#platform/backup/index.ts';
import { inspected } from '../inspected.ts';
import { createBackup } from './create.ts';
import type { BackupWatcher } from './options.ts';
import { sourceOf } from './source.ts';
import { type PresentState, sqliteFileOf } from './target.ts';

interface Replaced {
  readonly config: Config;
  readonly configFile: string | null;
  readonly sealing: Sealing | null;
  readonly watcher: BackupWatcher;
  /** Part of names. */
  readonly stamp: string;
}

/** Backs up what will be replaced. One that cannot be read is kept as it is. */
export async function keepPrevious(
  { config, configFile, sealing, watcher, stamp }: Replaced,
  state: PresentState,
): Promise<string> {
  const file = sqliteFileOf(config);
  const isNewer = state.kind === 'filled' && (await hasNewerSchema(config));
  if (isNewer && file === null)
    throw conflict(
      'a newer appctl migrated the database, so this one cannot back it up before it is replaced',
      'keep a copy with pg_dump, then run the restore again with --no-backup',
    );
  if (state.kind === 'filled' && !isNewer) {
    const options = {
      out: { to: 'place' } as const,
      label: 'pre-restore',
      exclude: ['bundles', 'media'] as const,
      sealing,
    };
    try {
      const { target } = await inspected(config, (instance) =>
        createBackup(sourceOf(instance, configFile), options, watcher),
      );
      return target;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'VERIFICATION_FAILED') || file === null) throw error;
    }
  }
  if (file === null) throw new Error('a Postgres database is read or cannot be reached');
  return keepAsItIs(config, file, stamp);
}

const hasNewerSchema = (config: Config): Promise<boolean> =>
  inspected(config, async ({ migrator }) => (await migrator.status()).unknown.length > 0).catch(() => false);

function keepAsItIs(config: Config, file: string, stamp: string): string {
  const folder = join(config.dataDir, `pre-restore-${stamp}`);
  ensurePrivateFolder(folder);
  for (const ending of ['-wal', '-journal', ''])
    if (existsSync(file + ending)) renameSync(file + ending, join(folder, `appctl.db${ending}`));
  syncFolder(folder);
  return folder;
}
