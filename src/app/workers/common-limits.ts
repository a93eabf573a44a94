import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '#kernel/clock.ts';
import { CommonLimits, type CommonState } from '#kernel/http/common-windows.ts';
import type { Log } from '#kernel/log.ts';
import { writePrivateFile } from '#kernel/private-files.ts';

/** In memory where the machine has such a place: nothing of it outlives the server. */
const IN_MEMORY = '/dev/shm';
const NAME = 'appctl-limits-';
const MADE = /^appctl-limits-[A-Za-z0-9]{6}$/;
const TOLD_EVERY_MS = 60_000;

/**
 * The windows of the first process, which the others will count together with it.
 *
 * @param dataDir where it is noted for the next server which folder they are counted in
 * @param isAlone no other server of the data directory runs, so that what is there was left behind
 */
export function leadLimits(dataDir: string, isAlone: boolean, log: Log): CommonLimits {
  const folder = madeFolder(dataDir);
  noteFolder(dataDir, folder, { isAlone, log });
  let toldMs = Number.NEGATIVE_INFINITY;
  return new CommonLimits(
    { place: { folder, file: 0, offset: 0 }, buckets: [] },
    {
      leads: true,
      onFailure(err) {
        const now = systemClock.monotonicMs();
        if (now < toldMs + TOLD_EVERY_MS) return;
        toldMs = now;
        const isFull = (err as NodeJS.ErrnoException).code === 'ENOSPC';
        const hint = isFull ? `free up space in ${dirname(folder)}` : 'restart the server: appctl restart';
        log.warn({ err, hint }, 'rate limits are counted in each process by itself');
      },
    },
  );
}

/** @param onFailure it counts by itself from now on */
export const joinLimits = (state: CommonState, onFailure: (error: unknown) => void): CommonLimits =>
  new CommonLimits(state, { leads: false, onFailure });

/** Removes the folder of a first process that was killed. */
export const removeLimits = ({ place: { folder } }: CommonState): void =>
  rmSync(folder, { recursive: true, force: true });

/**
 * Removes what servers of a data directory have left that were killed with all their processes.
 *
 * @param keep the folder of this server; null when it has none
 */
export function removeOldLimits(dataDir: string, keep: string | null, log: Log): void {
  if (!existsSync(noteOf(dataDir))) return;
  try {
    removeFolders(dataDir, keep);
    if (keep === null) rmSync(noteOf(dataDir));
    else writeNote(dataDir, [keep]);
  } catch (err) {
    log.warn({ err }, CANNOT_REMOVE);
  }
}

const CANNOT_REMOVE = 'files of an earlier server could not be removed';

function removeFolders(dataDir: string, keep: string | null): void {
  for (const folder of notedFolders(dataDir))
    if (folder !== keep) rmSync(folder, { recursive: true, force: true });
}

const runFolder = (dataDir: string): string => join(dataDir, 'run');
const noteOf = (dataDir: string): string => join(runFolder(dataDir), 'limits-folders');

function madeFolder(dataDir: string): string {
  try {
    return mkdtempSync(join(IN_MEMORY, NAME));
  } catch {
    return mkdtempSync(join(runFolder(dataDir), NAME));
  }
}

/** A server that is just succeeded has one, too, and so has one whose files could not be removed. */
function noteFolder(dataDir: string, folder: string, { isAlone, log }: { isAlone: boolean; log: Log }): void {
  try {
    writeNote(dataDir, [...(isAlone && isRid(dataDir, log) ? [] : notedFolders(dataDir)), folder]);
  } catch (err) {
    log.warn({ err }, 'the next server will not know of files that this one may leave');
  }
}

/** Whether nothing of earlier servers is left any more. */
function isRid(dataDir: string, log: Log): boolean {
  try {
    removeFolders(dataDir, null);
    return true;
  } catch (err) {
    log.warn({ err }, CANNOT_REMOVE);
    return false;
  }
}

const writeNote = (dataDir: string, folders: readonly string[]): void =>
  writePrivateFile(noteOf(dataDir), folders.map((one) => `${one}\n`).join(''));

/** Those of the file that this program can have made. */
function notedFolders(dataDir: string): string[] {
  if (!existsSync(noteOf(dataDir))) return [];
  const noted = readFileSync(noteOf(dataDir), 'utf8').split('\n');
  return noted.filter(
    (folder) => [IN_MEMORY, runFolder(dataDir)].includes(dirname(folder)) && MADE.test(basename(folder)),
  );
}
