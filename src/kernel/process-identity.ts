import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';

/**
 * Makes a process of root the user to whom a folder belongs: files that root makes there, SQLite's `-wal` above all,
 * would lock the service's own user out (cli.md section 1.7). Files that only root may read have to be read before.
 *
 * @returns the user's id when the process has changed, else null: it is not root, or the folder is root's or missing
 */
export function becomeOwnerOf(folder: string): number | null {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (!owner || owner.uid === 0) return null;
  process.setgroups?.([owner.gid]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
  ownersFolder = folder;
  return owner.uid;
}

let ownersFolder: string | null = null;

/** The folder whose owner this process has become; null for a process that is still who started it. */
export const folderOfOwner = (): string | null => ownersFolder;

/** Whether a process of this user runs under an id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether no process of anybody runs under an id. */
export function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

let ownScript: string | null = null;

/** Remembers the script of this process as that of the program: its sources, or a bundle of them at whichever place. */
export function beginAsProgram(): void {
  ownScript = process.argv[1] ?? null;
}

/** What begins this program once more, for Node, before the program's own words; the executable needs nothing. */
export const programArguments = (): string[] =>
  isSea() ? [] : [ownScript ?? join(import.meta.dirname, '../../bin/appctl.js')];

/** How a process was started. */
export interface Started {
  /** The executable, or Node, as it was typed. */
  readonly typed: string;
  readonly isExecutable: boolean;
  /** The program's script; null where another program runs it. */
  readonly script: string | null;
}

export const startedAs = (): Started => ({
  typed: process.argv0,
  isExecutable: isSea(),
  script: ownScript,
});
