import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sizeText } from '../size-words.ts';
import { DiskFull } from './failure.ts';

/** What uploads, imports and backups leave free, so that they stop before sales do (M24). */
export const RESERVE_BYTES = 200 * 1024 ** 2;

/**
 * What exports leave free. They are how data leaves a full server, so they may take the room that uploads leave, but not
 * the last byte: orders need that.
 */
export const EXPORT_RESERVE_BYTES = 32 * 1024 ** 2;

/** What a system says of the file system of a folder. */
export interface DiskSize {
  readonly blocks: number;
  readonly bavail: number;
  readonly bsize: number;
}

/** What the system is asked about the disk of a folder: tests play a full one here. */
export const disks = {
  sizeOf: (folder: string): Promise<DiskSize> => statfs(folder),
  idOf: async (folder: string): Promise<number> => (await stat(folder)).dev,
};

/** Bytes that this user may still write. Infinity where a file system reports no sizes: that is no full one. */
export const availableBytes = ({ blocks, bavail, bsize }: DiskSize): number =>
  blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;

/** Bytes that this user may still write on the disk that a folder lies on, or will lie on. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    return availableBytes(await disks.sizeOf(folder));
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
 * @param what is refused, in the plural
 * @throws DiskFull
 */
export async function requireRoom(
  folder: string,
  leaveBytes = RESERVE_BYTES,
  or = '',
  what = 'uploads',
): Promise<void> {
  if (leaveBytes === 0) return;
  const free = await freeBytes(folder);
  if (free >= leaveBytes) return;
  throw new DiskFull(
    `only ${sizeText(free)} is free on the disk of ${folder}; ${what} need at least ${sizeText(leaveBytes)} free`,
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
