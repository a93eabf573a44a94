import { availableParallelism } from 'node:os';
import { processEnvironment } from './environment.ts';

/** Threads of libuv's pool unless the environment says otherwise. */
const DEFAULT_THREADS = 4;

/**
 * How many long computations may run at the same time. One core is left to whoever answers requests: with four hashes at
 * once on two cores, p99 of other requests was 235 ms, with one 8 ms (reliability M13).
 *
 * @returns all cores but one, half of the pool at most, 1 at least
 */
export function longTasksAtOnce(environment = processEnvironment()): number {
  const threads = Number(environment.UV_THREADPOOL_SIZE) || DEFAULT_THREADS;
  return Math.max(1, Math.min(availableParallelism() - 1, Math.floor(threads / 2)));
}
