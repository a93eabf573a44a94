import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sizeText } from '../size-words.ts';
import { DiskFull } from './failure.ts';

/** What uploads, imports and backups leave free, so that they stop before sales do (M24). */
export const RESERVE_BYTES = 200 * 1024 ** 2;

/** Bytes that this user may still write on the disk that a folder lies on, or will lie on. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return freeBytes(dirname(folder));
  }
}

/**
 * Refuses what somebody sends before its first byte is taken.
 *
 * @param leaveBytes that must be free; 0 for what the server itself has to finish
 * @param or what else cures it
 * @throws DiskFull
 */
export async function requireRoom(folder: string, leaveBytes = RESERVE_BYTES, or = ''): Promise<void> {
  if (leaveBytes === 0) return;
  const free = await freeBytes(folder);
  if (free >= leaveBytes) return;
  throw new DiskFull(
    `the disk of ${folder} has ${sizeText(free)} left: no file is taken below ${sizeText(leaveBytes)}, so that sales go on`,
    `free up space on that disk${or}`,
  );
}

/** A full disk that the system reports, in words for an operator; every other error as it is. */
export function asDiskFull(folder: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new DiskFull(
    `the disk of ${folder} has no space left`,
    'free up space on that disk, then try again',
    error,
  );
}
