import { spawnSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packaged } from '#kernel/assets.ts';
import { holdFile } from '#kernel/db/held-file.ts';
import { AppError } from '#kernel/errors.ts';

/** The files of an upgrade, all beside the executable: whoever may replace it may write them, and nobody else. */
export interface Place {
  readonly exe: string;
  /** The verified executable of another version, before it takes the place; on the way back the newer one. */
  readonly next: string;
  /** The executable before the last upgrade. */
  readonly previous: string;
  readonly journal: string;
  readonly lock: string;
}

export function placeOf(exe: string): Place {
  const named = (ending: string): string => join(dirname(exe), `.${basename(exe)}.${ending}`);
  return {
    exe,
    next: named('next'),
    previous: named('previous'),
    journal: named('upgrade.json'),
    lock: named('upgrade.lock'),
  };
}

export const conflict = (message: string, hint: string): AppError =>
  new AppError('CONFLICT', 409, message, { details: { hint } });

/** The place of this program. @throws AppError CONFLICT when it is not the executable, or another program looks after it */
export function ownPlace(): Place {
  if (!packaged)
    throw conflict(
      'this program runs from its source, and only the executable can be upgraded',
      'git pull, then npm ci',
    );
  if (process.platform === 'win32')
    throw conflict(
      'Windows does not replace a program that runs',
      'stop the server and replace the file by hand',
    );
  const exe = process.execPath;
  // Where there is no dpkg, nothing was installed by it.
  if (spawnSync('dpkg-query', ['--search', exe], { stdio: 'ignore' }).status === 0)
    throw conflict(
      `${exe} was installed as a Debian package`,
      'install the newer package: sudo dpkg -i appctl_VERSION_amd64.deb',
    );
  return placeOf(exe);
}

/** @throws AppError UNAUTHORIZED (4) where this user cannot replace the executable */
export function requireWritable({ exe }: Place): void {
  try {
    accessSync(dirname(exe), constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const details = {
      hint: code === 'EROFS' ? 'make the disk writable' : 'run the command with sudo',
    };
    throw new AppError(
      'UNAUTHORIZED',
      401,
      `${dirname(exe)} cannot be written by this user (${code}), and the executable is there`,
      { details },
    );
  }
}

/**
 * Keeps others from upgrading the same executable meanwhile; the operating system ends it with this process.
 *
 * @returns what ends it
 * @throws AppError CONFLICT while another process does
 */
export async function lockPlace({ lock }: Place): Promise<() => void> {
  const held = await holdFile(lock);
  if (held === null) throw conflict('another process upgrades this executable', 'wait until it has ended');
  return held.release;
}

/** Another process has replaced the executable since this one judged what to do. */
export const replacedMeanwhile = ({ exe }: Pick<Place, 'exe'>): AppError =>
  conflict(`${exe} was replaced meanwhile`, 'run the command again');

/** File systems without hard links, and kernels that forbid one to the file of somebody else. */
const WITHOUT_LINKS = ['EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Gives a file a second name, which at each moment has what it had before or all of this file. */
export function nameAlso(file: string, name: string): void {
  const temporary = `${name}.tmp`;
  rmSync(temporary, { force: true });
  try {
    linkSync(file, temporary);
  } catch (error) {
    if (!WITHOUT_LINKS.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    copyWhole(file, temporary);
  }
  renameSync(temporary, name);
  // Two names of one file are not renamed over each other.
  rmSync(temporary, { force: true });
}

function copyWhole(file: string, path: string): void {
  try {
    copyFileSync(file, path);
    const copy = openSync(path, 'r');
    try {
      fsyncSync(copy);
    } finally {
      closeSync(copy);
    }
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}
