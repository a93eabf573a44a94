import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '#kernel/errors.ts';
import { syncFolder } from '#kernel/private-files.ts';
import { restartCommand, restartFailedUnit } from '../handover.ts';
import { serverAnswers } from '../run-files.ts';
import { endServer } from './end.ts';
import { type Journal, writeJournal } from './journal.ts';
import { conflict, nameAlso, type Place } from './place.ts';
import { appliedMigrations, backUp, type Installation, runProgram } from './program.ts';
import { type Begun, begunBy } from './start.ts';

/** What a way back needs to know. */
export interface Returning {
  readonly place: Place;
  readonly installation: Installation;
}

/** How the database came to be as the old version knows it. */
export type DatabaseWay = 'unchanged' | 'converted' | 'restored';

/**
 * Returns to the old executable after the new one did not become healthy.
 *
 * @returns the failure to report: in the words of the new version, and what was done
 */
export async function goBack(journal: Journal, returning: Returning, cause: Error): Promise<AppError> {
  const { place, installation } = returning;
  const why = cause.message.replace(/^the new server does not serve: /, '');
  // Another process cannot be replaced from here, and the new version is not to blame.
  if (cause instanceof AppError && cause.code === 'CONFLICT')
    return keptFailure(journal, place, why, cause.details.hint);
  const begun = begunBy(cause);
  swapBack(place, journal);
  try {
    // From now on a start is one of the old version, which refuses the newer schema.
    await endServer(journal.to.version, installation, begun);
  } catch (error) {
    swapForward(place);
    const { message, details } = error as AppError;
    return keptFailure(journal, place, `${why}, and ${message}`, details.hint);
  }
  let way: DatabaseWay;
  try {
    way = await finishReturn(journal, returning);
  } catch (error) {
    return failed(
      journal,
      why,
      `The executable is the old one again, but the database is not: ${(error as Error).message}.`,
      'appctl upgrade apply --continue',
    );
  }
  return failed(journal, why, wordsOf(way, journal), await nextStep(installation, begun));
}

function keptFailure(journal: Journal, place: Place, why: string, hint: unknown): AppError {
  writeJournal(place, { ...journal, state: 'swapped' });
  return new AppError(
    'CONFLICT',
    409,
    `appctl ${journal.to.version} is in place, but the upgrade is not finished: ${why}`,
    { details: { hint: `${hint ?? 'restart the server'}; then run appctl upgrade apply --continue` } },
  );
}

const wordsOf = (way: DatabaseWay, { from, backup, isAhead }: Journal): string =>
  ({
    unchanged: isAhead
      ? `appctl ${from.version} is back, but does not start on the schema of the database, which another server has changed for a newer version.`
      : `appctl ${from.version} is back, and the database was not changed.`,
    converted: `appctl ${from.version} is back, and the changes to the database schema were undone. No data was lost.`,
    restored: `appctl ${from.version} is back, with the database of the backup ${backup}. What was written after it is in the backup pre-restore.`,
  })[way];

/**
 * Has systemd start its unit again, of which nothing runs now; what somebody typed cannot be started from here.
 *
 * @returns what is left to do; null where a server runs
 */
export async function nextStep(
  { config }: Installation,
  { pid, unit, isOfUser }: Begun,
): Promise<string | null> {
  if (unit !== null)
    return restartFailedUnit(unit, isOfUser).then(
      () => `journalctl ${isOfUser ? '--user ' : ''}-u ${unit} -n 50`,
      () => `no server runs now; start it: ${restartCommand(unit, isOfUser)}`,
    );
  // After a takeover the server before ends, also where it still answers.
  const serves = pid === null && (await serverAnswers(config));
  return serves ? null : 'no server runs now; start it as before: appctl serve';
}

const failed = (journal: Journal, why: string, done: string, hint: string | null): AppError =>
  new AppError('UPGRADE_FAILED', 409, `appctl ${journal.to.version} does not start: ${why}. ${done}`, {
    details: { rolledBack: true, backup: journal.backup, ...(hint !== null && { hint }) },
  });

/** The rest of a way back; each step may be done already. */
export async function finishReturn(journal: Journal, returning: Returning): Promise<DatabaseWay> {
  const { place } = returning;
  const way = await databaseBack(journal, returning);
  writeJournal(place, { ...journal, state: 'undone' });
  rmSync(place.next, { force: true });
  return way;
}

/** The old executable takes its name back at once; the newer one stays beside it until the database was converted. */
export function swapBack(place: Place, journal: Journal): void {
  if (!existsSync(place.previous)) {
    if (journal.state === 'returning') return;
    throw conflict(`${place.previous} is missing`, `install appctl ${journal.from.version} by hand`);
  }
  writeJournal(place, { ...journal, state: 'returning' });
  nameAlso(place.exe, place.next);
  renameSync(place.previous, place.exe);
  syncFolder(dirname(place.exe));
}

/** The newer executable takes its name again, after a way back that came to nothing. */
export function swapForward({ exe, next, previous }: Place): void {
  nameAlso(exe, previous);
  renameSync(next, exe);
  syncFolder(dirname(exe));
}

/**
 * Brings the database to the schema that the old executable knows; the newer executable lies beside it.
 *
 * @throws AppError in the words of the program that does it
 */
export async function databaseBack(
  journal: Journal,
  { place, installation }: Returning,
): Promise<DatabaseWay> {
  const { added, isTail } = await addedMigrations(place.next, journal, installation);
  if (added.length === 0) return 'unchanged';
  if (journal.back === 'restore') return restored(journal, place, installation);
  try {
    if (!isTail) throw conflict('a newer migration is older than one that was applied', 'restore the backup');
    await runProgram(place.next, installation, ['migrate', 'down', '--to', added[0] ?? '', '--yes']);
    return 'converted';
  } catch (error) {
    // A server that serves is never stopped for a backup that lacks what it wrote since.
    if (journal.backup === null || (await serverAnswers(installation.config))) throw error;
    return restored(journal, place, installation);
  }
}

/** Migrations that a database has more than before. */
interface Added {
  /** In order. */
  readonly added: readonly string[];
  /** They are the last ones, so that undoing them undoes nothing else. */
  readonly isTail: boolean;
}

/** @param exe that knows them */
export async function addedMigrations(
  exe: string,
  { schema }: Journal,
  installation: Installation,
): Promise<Added> {
  if (schema === null || !existsSync(exe)) return { added: [], isTail: true };
  const applied = (await appliedMigrations(exe, installation))?.names ?? [];
  const added = applied.filter((name) => !schema.includes(name));
  return { added, isTail: applied.slice(-added.length).every((name) => added.includes(name)) };
}

async function restored(
  { backup }: Journal,
  { exe, next }: Place,
  installation: Installation,
): Promise<DatabaseWay> {
  if (backup === null)
    throw conflict('the upgrade was made without a backup', 'appctl upgrade rollback --database convert');
  // Only the newer version knows what is there now.
  await backUp(next, installation, 'pre-restore');
  const { serviceName } = installation.config;
  const words = ['restore', backup, '--only', 'db', '--no-backup', '--confirm', serviceName];
  await runProgram(exe, installation, words);
  return 'restored';
}
