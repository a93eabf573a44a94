// Requests that leave on time, whatever became of those before them.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends requests at a steady rate for some seconds.
 *
 * @param ask sends the request of this number; resolves with its answer
 * @returns milliseconds from when each was due to its answer, the shortest first
 */
export async function paced(
  perSecond: number,
  seconds: number,
  ask: (n: number) => Promise<unknown>,
): Promise<Float64Array> {
  const startedMs = performance.now();
  const asked: Promise<number>[] = [];
  for (let n = 0; n < perSecond * seconds; n++) {
    const dueMs = startedMs + (n * 1000) / perSecond;
    // No sleep is shorter than a millisecond: what became due meanwhile leaves without one.
    const earlyMs = dueMs - performance.now();
    if (earlyMs > 0) await sleep(earlyMs);
    asked.push(ask(n).then(() => performance.now() - dueMs));
  }
  return Float64Array.from(await Promise.all(asked)).sort();
}
