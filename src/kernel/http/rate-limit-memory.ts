import { RateLimiterRes } from 'rate-limiter-flexible';
import { systemClock } from '../clock.ts';
import type { OpenWindow, RateLimit } from './rate-limit.ts';

interface Window {
  points: number;
  /** Wall clock, milliseconds since 1970. */
  endsMs: number;
}

/** Ended windows that one request removes: more than it can open, so that they never pile up. */
const SWEPT_AT_ONCE = 2;

/**
 * Fixed windows of one bucket in the memory of this process, as rate-limiter-flexible counts them but without a timer
 * for each: 100,000 addresses, the most that are kept, take 15 MB instead of 80 MB (R11).
 */
export class MemoryWindows {
  readonly #rule: RateLimit;
  /** All last equally long, so the one that opened first ends first and stands first. */
  readonly #windows = new Map<string, Window>();

  constructor(rule: RateLimit) {
    this.#rule = rule;
  }

  /** Takes one point. Rejects with the result, and no Error, when the window is full. */
  async consume(key: string): Promise<RateLimiterRes> {
    const now = systemClock.epochMs();
    this.#sweep(now);
    const known = this.#windows.get(key);
    const isOpen = known !== undefined && known.endsMs > now;
    const window = isOpen ? known : this.#open(key, now);
    window.points += 1;
    const left = Math.max(0, this.#rule.max - window.points);
    const result = new RateLimiterRes(left, window.endsMs - now, window.points, !isOpen);
    return window.points > this.#rule.max ? Promise.reject(result) : result;
  }

  async delete(key: string): Promise<boolean> {
    return this.#windows.delete(key);
  }

  /** What is open now, for the next process. */
  dump(): OpenWindow[] {
    const now = systemClock.epochMs();
    return [...this.#windows]
      .filter(([, { endsMs }]) => endsMs > now)
      .map(([key, window]) => ({ key, ...window }));
  }

  /** Goes on with windows of an earlier process. */
  restore(windows: readonly OpenWindow[]): void {
    for (const { key, points, endsMs } of windows.toSorted((one, other) => one.endsMs - other.endsMs)) {
      this.#windows.set(key, { points, endsMs });
    }
  }

  #open(key: string, now: number): Window {
    // Set anew, it would keep the place of the window before it.
    this.#windows.delete(key);
    const window = { points: 0, endsMs: now + this.#rule.windowSeconds * 1000 };
    this.#windows.set(key, window);
    return window;
  }

  #sweep(now: number): void {
    let swept = 0;
    for (const [key, { endsMs }] of this.#windows) {
      if (endsMs > now || swept === SWEPT_AT_ONCE) return;
      this.#windows.delete(key);
      swept += 1;
    }
  }
}
