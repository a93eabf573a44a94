import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { AppError } from '#kernel/errors.ts';
import { createLog } from '#kernel/log.ts';
import { ensurePrivateFolder, syncFolder } from '#kernel/private-files.ts';
import type { Sealing } from '#platform/backup/index.ts';
import { openInstance } from '../instance.ts';
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
  if (state.kind === 'filled') {
    const instance = await openInstance({
      config,
      log: createLog({ level: 'silent', destination: 2 }),
      mode: 'inspect',
    });
    try {
      const options = {
        out: { to: 'place' } as const,
        label: 'pre-restore',
        exclude: ['bundles', 'media'] as const,
        sealing,
      };
      return (await createBackup(sourceOf(instance, configFile), options, watcher)).target;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'VERIFICATION_FAILED') || file === null) throw error;
    } finally {
      await instance.close();
    }
  }
  if (file === null) throw new Error('a Postgres database is read or cannot be reached');
  return keepAsItIs(config, file, stamp);
}

function keepAsItIs(config: Config, file: string, stamp: string): string {
  const folder = join(config.dataDir, `pre-restore-${stamp}`);
  ensurePrivateFolder(folder);
  for (const ending of ['-wal', '-journal', ''])
    if (existsSync(file + ending)) renameSync(file + ending, join(folder, `appctl.db${ending}`));
  syncFolder(folder);
  return folder;
}
