// Folders that tests write to and remove again.
import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A container may give its memory file system 64 MB only, which one database server fills. */
const enoughBytes = 1_000_000_000;

/**
 * Makes a new folder, in memory where the machine offers room: databases there wait for no disk.
 * @param prefix start of the folder's name, such as `appctl-sqlite-`
 * @param options.durable true when the folder must lie on a real disk, because a test measures or kills
 * @returns its absolute path; whoever asked removes it
 */
export function scratchFolder(prefix: string, { durable = false }: { durable?: boolean } = {}): string {
  return mkdtempSync(join(!durable && hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), prefix));
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= enoughBytes;
  } catch {
    return false;
  }
}
