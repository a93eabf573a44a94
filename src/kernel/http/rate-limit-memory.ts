import { RateLimiterRes } from 'rate-limiter-flexible';
import { systemClock } from '../clock.ts';
import { endOfTurn } from './end-of-turn.ts';
import type { OpenWindow, RateLimit } from './rate-limit.ts';

interface Window {
  points: number;
  /** Monotonic milliseconds: a wall clock that is set back would keep what was opened before it, and all behind it. */
  endsMs: number;
}

/** What is counted in windows that this process keeps. */
export interface KeptWindows {
  /** Takes one point. Rejects with the result, and no Error, when the window is full. */
  consume(key: string): Promise<RateLimiterRes>;
  /** Gives one point back of the window that is open. */
  reward(key: string): Promise<void>;
  /** What is open of a key; null for nothing. It takes no point. */
  get(key: string): Promise<RateLimiterRes | null>;
  delete(key: string): Promise<boolean>;
  /** What is open now, for the next process. */
  dump(): OpenWindow[];
  /** Goes on with windows of an earlier process. */
  restore(windows: readonly OpenWindow[]): void;
  /** Adds what another process counted beside this one. */
  add(windows: readonly OpenWindow[]): void;
}

/** Windows as they are, for a process that goes on with them at the same time: key, points, end. */
export type RawWindow = readonly [key: string, points: number, endsMs: number];

/** Ended windows that one request removes: more than it can open, so that they never pile up. */
const SWEPT_AT_ONCE = 2;

/**
 * Fixed windows of one bucket in the memory of this process, as rate-limiter-flexible counts them but without a timer
 * for each: 100,000 addresses, the most that are kept, take 15 MB instead of 80 MB (R11).
 */
export class MemoryWindows implements KeptWindows {
  readonly #rule: RateLimit;
  readonly #nowMs: () => number;
  /** All last equally long, so the one that opened first ends first and stands first. */
  readonly #windows = new Map<string, Window>();

  /** @param nowMs monotonic */
  constructor(rule: RateLimit, nowMs: () => number = systemClock.monotonicMs) {
    this.#rule = rule;
    this.#nowMs = nowMs;
  }

  async consume(key: string): Promise<RateLimiterRes> {
    await endOfTurn();
    return orRefused(this.#rule, this.take(key, this.#nowMs()));
  }

  /**
   * Takes one point, even of a full window.
   *
   * @param now monotonic milliseconds
   */
  take(key: string, now: number): RateLimiterRes {
    this.#sweep(now);
    const known = this.#windows.get(key);
    const isOpen = known !== undefined && known.endsMs > now;
    const window = isOpen ? known : this.#open(key, now);
    window.points += 1;
    const left = Math.max(0, this.#rule.max - window.points);
    return new RateLimiterRes(left, Math.ceil(window.endsMs - now), window.points, !isOpen);
  }

  async reward(key: string): Promise<void> {
    this.giveBack(key);
  }

  giveBack(key: string): void {
    const window = this.#windows.get(key);
    if (window !== undefined && window.points > 0) window.points -= 1;
  }

  async get(key: string): Promise<RateLimiterRes | null> {
    const window = this.#windows.get(key);
    const leftMs = window === undefined ? 0 : Math.ceil(window.endsMs - this.#nowMs());
    if (window === undefined || leftMs <= 0) return null;
    return new RateLimiterRes(Math.max(0, this.#rule.max - window.points), leftMs, window.points, false);
  }

  /** Windows in memory; some of them may have ended. */
  get size(): number {
    return this.#windows.size;
  }

  async delete(key: string): Promise<boolean> {
    return this.forget(key);
  }

  forget(key: string): boolean {
    return this.#windows.delete(key);
  }

  dump(): OpenWindow[] {
    const now = this.#nowMs();
    const offset = this.#wallOffsetMs(now);
    return [...this.#windows]
      .filter(([, { endsMs }]) => endsMs > now)
      .map(([key, { points, endsMs }]) => ({ key, points, endsMs: Math.ceil(endsMs + offset) }));
  }

  restore(windows: readonly OpenWindow[]): void {
    this.begin(this.rawOf(windows));
  }

  add(windows: readonly OpenWindow[]): void {
    this.merge(this.rawOf(windows), this.#nowMs());
  }

  /** All windows, in their order. */
  raw(): RawWindow[] {
    return [...this.#windows].map(([key, { points, endsMs }]) => [key, points, endsMs]);
  }

  /** Windows of another process, by the clock of this one. */
  rawOf(windows: readonly OpenWindow[]): RawWindow[] {
    const offset = this.#wallOffsetMs(this.#nowMs());
    return windows.map(({ key, points, endsMs }) => [key, points, endsMs - offset]);
  }

  begin(windows: readonly RawWindow[]): void {
    for (const [key, points, endsMs] of windows.toSorted(([, , one], [, , other]) => one - other))
      this.#windows.set(key, { points, endsMs });
  }

  /** @param now monotonic milliseconds: what has ended by then is not added to */
  merge(windows: readonly RawWindow[], now: number): void {
    const unknown: RawWindow[] = [];
    for (const one of windows) {
      const known = this.#windows.get(one[0]);
      if (known !== undefined && known.endsMs > now) known.points += one[1];
      else unknown.push(one);
    }
    for (const [key, points, endsMs] of unknown) {
      this.#windows.delete(key);
      this.#windows.set(key, { points, endsMs });
    }
    this.#order();
  }

  /** What ends first has to stand first. */
  #order(): void {
    const sorted = [...this.#windows].sort(([, one], [, other]) => one.endsMs - other.endsMs);
    this.#windows.clear();
    for (const [key, window] of sorted) this.#windows.set(key, window);
  }

  /** What is added to a monotonic time for that of the wall clock now. */
  #wallOffsetMs(now: number): number {
    return systemClock.epochMs() - now;
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

/** As a limiter of rate-limiter-flexible does, a full window rejects with the result, and no Error. */
export const orRefused = async (rule: RateLimit, result: RateLimiterRes): Promise<RateLimiterRes> =>
  result.consumedPoints > rule.max ? Promise.reject(result) : result;
