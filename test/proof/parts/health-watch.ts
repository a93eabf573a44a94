// Asks a server all the time how it is, as a load balancer does.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from './client.ts';

const EVERY_MS = 40;

/** One answer. Times are of `performance.now()`. */
export interface Look {
  readonly path: string;
  readonly askedMs: number;
  readonly endMs: number;
  /** 0 when it was not answered at all. */
  readonly status: number;
}

const PATHS = ['/api/health', '/api/ready'] as const;

/** Looks until it is stopped. */
export class HealthWatch {
  readonly looks: Look[] = [];
  readonly #working: Promise<unknown>;
  #isOver = false;

  constructor(url: string) {
    this.#working = Promise.all(PATHS.map((path) => this.#watch(url, path)));
  }

  /** Answers that were asked for and came in between. */
  between(fromMs: number, toMs: number): Look[] {
    return this.looks.filter(({ askedMs, endMs }) => askedMs >= fromMs && endMs <= toMs);
  }

  /**
   * Waits until both paths answer a status.
   *
   * @param fromMs answers that were asked for before it do not count
   * @returns milliseconds from then until the answer that came last; null when that takes longer than `timeoutMs`
   */
  async until(status: number, fromMs: number, timeoutMs: number): Promise<number | null> {
    const seen = (path: string): number | undefined =>
      this.looks.find((look) => look.path === path && look.askedMs >= fromMs && look.status === status)
        ?.endMs;
    while (performance.now() < fromMs + timeoutMs) {
      const ends = PATHS.map(seen);
      if (ends.every((end) => end !== undefined)) return Math.round(Math.max(...(ends as number[])) - fromMs);
      await sleep(10);
    }
    return null;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  async #watch(url: string, path: string): Promise<void> {
    const client = createClient(url, 1);
    while (!this.#isOver) {
      const askedMs = performance.now();
      const status = await client.ask({ path }).then(
        (answer) => answer.status,
        () => 0,
      );
      this.looks.push({ path, askedMs, endMs: performance.now(), status });
      await sleep(EVERY_MS);
    }
    client.close();
  }
}
