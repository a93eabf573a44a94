import type { Cli } from '../frame/context.ts';
import { readingWithProgress } from './deliver.ts';

/** Below this a bar would only flicker. */
const WORTH_SHOWING = 32 * 1024 * 1024;

/**
 * Runs work that reads a large file with its progress on stderr.
 *
 * @param total bytes that will be read
 * @param work is given what to tell of the bytes that have been read, or undefined for a small file
 */
export async function showingBytes<T>(
  cli: Cli,
  label: string,
  total: number,
  work: (onBytes: ((done: number) => void) | undefined) => Promise<T>,
): Promise<T> {
  return total < WORTH_SHOWING ? work(undefined) : readingWithProgress(cli, label, total, work);
}
