import { rmSync } from 'node:fs';
import { AppError } from '#kernel/errors.ts';
import { isAlive } from '#kernel/process-identity.ts';
import type { Restarted } from '../handover.ts';
import { type Journal, writeJournal } from './journal.ts';
import type { Place } from './place.ts';
import { backUp } from './program.ts';
import { type DatabaseWay, finishReturn, nextStep, type Returning, swapBack, swapForward } from './return.ts';
import { begunBy, startWith } from './start.ts';

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
    finish(journal, place);
    return { way: 'unchanged', backup: null, restarted };
  } catch (error) {
    throw await notReturned(journal, returning, error as Error);
  }
}

/** The newer version has its place again, unless the former one serves already: both know the schema. */
async function notReturned(
  journal: Journal,
  { place, installation }: Returning,
  cause: Error,
): Promise<AppError> {
  const { from, to } = journal;
  const begun = begunBy(cause);
  if (begun.unit === null && begun.pid !== null && isAlive(begun.pid)) {
    finish(journal, place);
    const words = `appctl ${from.version} is in place and runs as process ${begun.pid}, but is not healthy: ${cause.message}`;
    return failed(words, null);
  }
  swapForward(place);
  writeJournal(place, { ...journal, state: 'done' });
  const words = `appctl ${from.version} does not start: ${cause.message}. appctl ${to.version} is in place again.`;
  return failed(words, await nextStep(installation, begun));
}

function finish(journal: Journal, place: Place): void {
  rmSync(place.next, { force: true });
  writeJournal(place, { ...journal, state: 'undone' });
}

const failed = (message: string, hint: string | null): AppError =>
  new AppError('UPGRADE_FAILED', 409, message, { details: { hint: hint ?? 'appctl status' } });
