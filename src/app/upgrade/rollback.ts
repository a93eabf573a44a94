import { linkSync, renameSync, rmSync } from 'node:fs';
import { AppError } from '#kernel/errors.ts';
import type { Restarted } from '../handover.ts';
import { type Journal, writeJournal } from './journal.ts';
import { backUp } from './program.ts';
import { type DatabaseWay, finishReturn, type Returning, swapBack } from './return.ts';
import { startWith } from './start.ts';

/** What a rollback came to. */
export interface RolledBack {
  readonly way: DatabaseWay;
  /** Backup of what the newer version had; null where the database did not change. */
  readonly backup: string | null;
  readonly restarted: Restarted | null;
}

/**
 * Returns to the former executable; the database follows where the newer version changed its schema, which somebody has
 * agreed to and for which no server runs.
 *
 * @param changes whether the newer version changed the schema
 * @throws AppError UPGRADE_FAILED when the former version does not become healthy: the newer one then has its place again
 */
export async function rollback(
  journal: Journal,
  returning: Returning,
  changes: boolean,
): Promise<RolledBack> {
  const { place, installation } = returning;
  // A return to the backup makes one of what it replaces by itself.
  const backup =
    changes && journal.back === 'convert' ? await backUp(place.exe, installation, 'pre-migrate') : null;
  swapBack(place, journal);
  if (changes) return { way: await finishReturn(journal, returning), backup, restarted: null };
  try {
    const restarted = await startWith(place.exe, journal.from.version, installation);
    rmSync(place.next, { force: true });
    writeJournal(place, { ...journal, state: 'undone' });
    return { way: 'unchanged', backup: null, restarted };
  } catch (error) {
    linkSync(place.exe, place.previous);
    renameSync(place.next, place.exe);
    writeJournal(place, { ...journal, state: 'done' });
    const { message } = error as Error;
    throw new AppError(
      'UPGRADE_FAILED',
      409,
      `appctl ${journal.from.version} does not start: ${message}. appctl ${journal.to.version} is in place again.`,
      { details: { hint: 'appctl status' } },
    );
  }
}
