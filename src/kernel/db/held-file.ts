import { existsSync } from 'node:fs';
import { touchPrivateFile } from '../private-files.ts';
import { isBusy } from './dialect.ts';

/**
 * Holds a file for one process. The lock is a transaction that stays open on a small database in it: the operating
 * system ends it with the process, also after `kill -9`.
 *
 * @returns null while another process holds it
 */
export async function holdFile(path: string): Promise<{ release(): void } | null> {
  const { default: Driver } = await import('better-sqlite3');
  if (!existsSync(path)) touchPrivateFile(path);
  const connection = new Driver(path, { timeout: 0 });
  try {
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => void connection.close() };
}
