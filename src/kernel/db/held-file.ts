import { existsSync } from 'node:fs';
import { touchPrivateFile } from '../private-files.ts';
import { isBusy } from './dialect.ts';

/**
 * Holds a file for one process. The lock is a transaction that stays open on a small database in it: the operating
 * system ends it with the process, also after `kill -9`.
 *
 * @param isMade makes the file where it is missing
 * @returns null while another process holds it
 * @throws Error when it is missing and is not made
 */
export async function holdFile(path: string, isMade = true): Promise<{ release(): void } | null> {
  const { default: Driver } = await import('better-sqlite3');
  if (isMade && !existsSync(path)) touchPrivateFile(path);
  const connection = new Driver(path, { timeout: 0, fileMustExist: true });
  try {
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => void connection.close() };
}
