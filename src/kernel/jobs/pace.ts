import { sleep } from '../clock.ts';

const SHORTEST_MS = 1;
const LONGEST_MS = 10;

/**
 * Runs a portion of a job, then rests about as long as it took, so that requests get half of the time at least: the
 * thread and SQLite's one writer are theirs as well, and a mere turn of the event loop lets only those through that
 * have come already.
 */
export async function paced<T>(portion: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await portion();
  } finally {
    await sleep(Math.min(Math.max(performance.now() - began, SHORTEST_MS), LONGEST_MS));
  }
}
