import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommonLimits, type CommonState } from '#kernel/http/rate-limit-common.ts';
import type { Log } from '#kernel/log.ts';
import { writePrivateFile } from '#kernel/private-files.ts';

/** In memory where the machine has such a place: nothing of it outlives the server. */
const IN_MEMORY = '/dev/shm/appctl-limits-';
const CATCH_UP_MS = 1000;

/**
 * The windows of the first process, which the others will count together with it.
 *
 * @param follows the server before this one still serves, and counts in a folder of its own
 */
export function leadLimits(dataDir: string, log: Log, follows: boolean): CommonLimits {
  const folder = freshFolder(join(dataDir, 'run'), follows);
  let isTold = false;
  const limits = new CommonLimits(
    { place: { folder, file: 0, offset: 0 }, buckets: [] },
    {
      leads: true,
      onFailure(err) {
        if (!isTold) log.warn({ err, folder }, 'limits are counted in each process by itself');
        isTold = true;
      },
    },
  );
  setInterval(() => limits.catchUp(), CATCH_UP_MS).unref();
  return limits;
}

/** @param onFailure it counts by itself from now on */
export function joinLimits(state: CommonState, onFailure: (error: unknown) => void): CommonLimits {
  const limits = new CommonLimits(state, { leads: false, onFailure });
  setInterval(() => limits.catchUp(), CATCH_UP_MS).unref();
  return limits;
}

/** Of a first process that was killed. */
export const removeLimits = ({ place: { folder } }: CommonState): void =>
  rmSync(folder, { recursive: true, force: true });

/** Removes what a server has left that was killed with all its processes. */
function freshFolder(run: string, follows: boolean): string {
  const note = join(run, 'limits-folder');
  const left = follows ? '' : textOf(note);
  if (left.startsWith(IN_MEMORY) || left.startsWith(join(run, 'limits-')))
    rmSync(left, { recursive: true, force: true });
  const folder = madeFolder(run);
  writePrivateFile(note, folder);
  return folder;
}

function madeFolder(run: string): string {
  try {
    return mkdtempSync(IN_MEMORY);
  } catch {
    return mkdtempSync(join(run, 'limits-'));
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
