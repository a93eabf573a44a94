import { RateLimiterRes } from 'rate-limiter-flexible';
import { systemClock } from '../clock.ts';
import type { OpenWindow, RateLimit } from './rate-limit.ts';

interface Window {
  points: number;
  /** Monotonic milliseconds: a wall clock that is set back would keep what was opened before it, and all behind it. */
  endsMs: number;
}

const nowMs = (): number => systemClock.monotonicMs();

/** What is added to a monotonic time for that of the wall clock now. */
const wallOffsetMs = (): number => systemClock.epochMs() - nowMs();

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
    const now = nowMs();
    this.#sweep(now);
    const known = this.#windows.get(key);
    const isOpen = known !== undefined && known.endsMs > now;
    const window = isOpen ? known : this.#open(key, now);
    window.points += 1;
    const left = Math.max(0, this.#rule.max - window.points);
    const leftMs = Math.ceil(window.endsMs - now);
    const result = new RateLimiterRes(left, leftMs, window.points, !isOpen);
    return window.points > this.#rule.max ? Promise.reject(result) : result;
  }

  /** Gives one point back of the window that is open. */
  async reward(key: string): Promise<void> {
    const window = this.#windows.get(key);
    if (window !== undefined && window.points > 0) window.points -= 1;
  }

  /** What is open of a key; null for nothing. It takes no point. */
  async get(key: string): Promise<RateLimiterRes | null> {
    const window = this.#windows.get(key);
    const leftMs = window === undefined ? 0 : Math.ceil(window.endsMs - nowMs());
    if (window === undefined || leftMs <= 0) return null;
    return new RateLimiterRes(Math.max(0, this.#rule.max - window.points), leftMs, window.points, false);
  }

  /** Windows in memory; some of them may have ended. */
  get size(): number {
    return this.#windows.size;
  }

  async delete(key: string): Promise<boolean> {
    return this.#windows.delete(key);
  }

  /** What is open now, for the next process. */
  dump(): OpenWindow[] {
    const now = nowMs();
    const offset = wallOffsetMs();
    return [...this.#windows]
      .filter(([, { endsMs }]) => endsMs > now)
      .map(([key, { points, endsMs }]) => ({ key, points, endsMs: Math.ceil(endsMs + offset) }));
  }

  /** Goes on with windows of an earlier process. */
  restore(windows: readonly OpenWindow[]): void {
    const offset = wallOffsetMs();
    for (const { key, points, endsMs } of windows.toSorted((one, other) => one.endsMs - other.endsMs)) {
      this.#windows.set(key, { points, endsMs: endsMs - offset });
    }
  }

  /** Adds what another process counted beside this one. */
  add(windows: readonly OpenWindow[]): void {
    const [now, offset] = [nowMs(), wallOffsetMs()];
    const unknown: OpenWindow[] = [];
    for (const one of windows) {
      const known = this.#windows.get(one.key);
      if (known !== undefined && known.endsMs > now) known.points += one.points;
      else unknown.push(one);
    }
    for (const { key, points, endsMs } of unknown) {
      this.#windows.delete(key);
      this.#windows.set(key, { points, endsMs: endsMs - offset });
    }
    this.#order();
  }

  /** What ends first has to stand first. */
  #order(): void {
    const sorted = [...this.#windows].sort(([, one], [, other]) => one.endsMs - other.endsMs);
    this.#windows.clear();
    for (const [key, window] of sorted) this.#windows.set(key, window);
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
