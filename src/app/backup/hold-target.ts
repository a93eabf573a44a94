import { dirname } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { lockFile, type ServerLock } from '#kernel/db/server-lock.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import { conflict } from '#platform/backup/index.ts';
import { type PresentState, presentState, sqliteFileOf } from './target.ts';

/**
 * Keeps servers and other restores away from a SQLite file that is replaced, also from one that is not there yet: two
 * restores would both say that they are done, and one of them would be gone.
 *
 * @param state of the target, as it was when somebody agreed to have it replaced
 * @returns null for Postgres
 * @throws AppError CONFLICT (5) while another process has it, and when it was filled meanwhile
 */
export async function holdTarget(config: Config, state: PresentState): Promise<ServerLock | null> {
  const file = sqliteFileOf(config);
  if (file === null) return null;
  ensurePrivateFolder(dirname(file));
  const lock = await lockFile(file, config.dataDir);
  try {
    if (state.kind === 'empty' && (await presentState(config)).kind !== 'empty')
      throw conflict(`${file} was empty and has been filled meanwhile`, 'run the restore again');
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}
