import type { RateLimiterRes } from 'rate-limiter-flexible';
import { systemClock } from '../clock.ts';
import { CommonLog, type CommonLogOptions, type LogPlace } from '../common-log.ts';
import { endOfTurn, MOST_IN_A_TURN } from './end-of-turn.ts';
import { LiveKeys } from './live-keys.ts';
import type { OpenWindow, RateLimit } from './rate-limit.ts';
import { type KeptWindows, MemoryWindows, orRefused, type RawWindow } from './rate-limit-memory.ts';
import { bucketName, type LimiterFactory } from './rate-limiters.ts';

/** A rule in few letters: each point that is taken names one. */
type Rule = readonly [bucket: string, max: number, windowSeconds: number, by: RateLimit['by']];

/** What becomes of the windows of one rule, at a moment of the machine; a point is taken for each of the keys. */
type Change =
  | readonly [op: 'take', rule: Rule, now: number, keys: readonly string[]]
  | readonly [op: 'giveBack' | 'delete', rule: Rule, now: number, key: string]
  | readonly [op: 'begin' | 'merge', rule: Rule, now: number, windows: readonly RawWindow[]];

/** Points of one rule that the requests of this turn of the event loop take. */
interface Taking {
  readonly rule: Rule;
  readonly keys: string[];
  readonly answers: { resolve(result: RateLimiterRes): void; reject(error: unknown): void }[];
}

/** What another process goes on with. */
export interface CommonState {
  readonly place: LogPlace;
  readonly buckets: readonly { readonly rule: RateLimit; readonly raw: readonly RawWindow[] }[];
}

export interface CommonOptions extends CommonLogOptions {
  /** Told what keeps this process from counting with the others, LogLost or what a full disk throws; it counts by itself then. */
  onFailure(error: unknown): void;
}

/** Monotonic milliseconds that are the same in all processes of this machine. */
const [seconds, nanoseconds] = process.hrtime();
const OFFSET_MS = seconds * 1000 + nanoseconds / 1_000_000 - systemClock.monotonicMs();
const machineMs = (): number => systemClock.monotonicMs() + OFFSET_MS;

/** One that serves nobody falls no further behind the others. */
const CATCH_UP_MS = 1000;

/**
 * Limits that several processes of one machine count together, each in its memory: what one takes stands in a log that
 * all read, so that they count exactly and wait for nobody (decision 0128).
 */
export class CommonLimits {
  readonly #windows = new Map<string, { readonly rule: RateLimit; readonly windows: MemoryWindows }>();
  readonly #log: CommonLog<readonly Change[]>;
  readonly #onFailure: CommonOptions['onFailure'];
  readonly #catchingUp: NodeJS.Timeout;
  #taking: Taking[] = [];
  #waiting = 0;
  #isClosed = false;
  /** Where it is counted. */
  readonly folder: string;
  /** Windows that are open, in all processes. */
  readonly liveKeys = new LiveKeys(systemClock);

  constructor({ place, buckets }: CommonState, { onFailure, ...files }: CommonOptions) {
    this.#onFailure = onFailure;
    this.folder = place.folder;
    for (const { rule, raw } of buckets) this.#begin(rule, raw);
    this.#log = new CommonLog(
      place,
      (changes, isOwn) => changes.map((change) => this.#apply(change, isOwn)),
      files,
    );
    this.#catchingUp = setInterval(() => this.catchUp(), CATCH_UP_MS).unref();
  }

  /** Of one bucket, for `createRateLimiters`. */
  readonly limiter: LimiterFactory = (rule) =>
    new CommonWindows(rule, this.#of(rule), {
      take: (ofRule, key) => this.#take(ofRule, key),
      order: (change) => this.#orderNow(change),
      catchUp: () => this.catchUp(),
    });

  /** Of which something is counted, in whatever process. */
  rules(): RateLimit[] {
    this.catchUp();
    return [...this.#windows.values()].map(({ rule }) => rule);
  }

  /** @returns what a process that begins now goes on with */
  state(): CommonState {
    this.catchUp();
    const place = this.#log.place();
    const buckets = [...this.#windows.values()].map(({ rule, windows }) => ({ rule, raw: windows.raw() }));
    return { place, buckets };
  }

  /** Counts what other processes took meanwhile. */
  catchUp(): void {
    if (this.#isClosed) return;
    this.#takeNow();
    try {
      this.#log.catchUp();
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /** From now on it counts by itself. */
  close(): void {
    if (this.#isClosed) return;
    this.#takeNow();
    this.#isClosed = true;
    clearInterval(this.#catchingUp);
    try {
      this.#log.close();
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /** All that the requests of one turn of the event loop take is written and read at once, and answered after it. */
  #take(rule: Rule, key: string): Promise<RateLimiterRes> {
    if (this.#waiting === 0) void endOfTurn().then(() => this.#takeNow());
    this.#waiting += 1;
    let taking = this.#taking.at(-1);
    if (taking?.rule !== rule) this.#taking.push((taking = { rule, keys: [], answers: [] }));
    const { promise, ...answer } = Promise.withResolvers<RateLimiterRes>();
    taking.keys.push(key);
    taking.answers.push(answer);
    if (this.#waiting === MOST_IN_A_TURN) this.#takeNow();
    return promise;
  }

  #takeNow(): void {
    if (this.#waiting === 0) return;
    const taking = this.#taking;
    this.#taking = [];
    this.#waiting = 0;
    const now = machineMs();
    try {
      const results = this.#order(taking.map(({ rule, keys }): Change => ['take', rule, now, keys]));
      for (const [i, { answers }] of taking.entries())
        for (const [j, { resolve }] of answers.entries())
          resolve((results[i] as RateLimiterRes[])[j] as RateLimiterRes);
    } catch (error) {
      for (const { answers } of taking) for (const { reject } of answers) reject(error);
    }
  }

  /** After what was taken before it. */
  #orderNow(change: Change): unknown {
    this.#takeNow();
    return this.#order([change])[0];
  }

  #order(changes: readonly Change[]): readonly unknown[] {
    if (!this.#isClosed)
      try {
        return this.#log.add(changes) as unknown[];
      } catch (error) {
        this.#onFailure(error);
      }
    return changes.map((change) => this.#apply(change, true));
  }

  #apply(change: Change, isOwn: boolean): unknown {
    const [op, rule, now] = change;
    const windows = this.#of(ruleOf(rule));
    switch (op) {
      case 'take':
        return change[3].map((key) => {
          const result = windows.take(key, now);
          // The limiters count those that they open themselves.
          if (result.isFirstInDuration && !isOwn) this.liveKeys.add(rule[2] * 1000);
          return result;
        });
      case 'giveBack':
        return windows.giveBack(change[3]);
      case 'delete':
        return windows.forget(change[3]);
      case 'begin':
        if (!isOwn) this.#live(change[3]);
        return windows.begin(change[3]);
      case 'merge':
        if (!isOwn) this.#live(change[3]);
        return windows.merge(change[3], now);
    }
  }

  #begin(rule: RateLimit, raw: readonly RawWindow[]): void {
    this.#of(rule).begin(raw);
    this.#live(raw);
  }

  #live(raw: readonly RawWindow[]): void {
    const now = machineMs();
    for (const [, , endsMs] of raw) if (endsMs > now) this.liveKeys.add(endsMs - now);
  }

  #of(rule: RateLimit): MemoryWindows {
    const name = bucketName(rule);
    let bucket = this.#windows.get(name);
    if (!bucket) this.#windows.set(name, (bucket = { rule, windows: new MemoryWindows(rule, machineMs) }));
    return bucket.windows;
  }
}

const ruleOf = ([bucket, max, windowSeconds, by]: Rule): RateLimit => ({ bucket, max, windowSeconds, by });

interface AllProcesses {
  take(rule: Rule, key: string): Promise<RateLimiterRes>;
  order(change: Change): unknown;
  catchUp(): void;
}

/** The windows of one rule, as all processes count them. */
class CommonWindows implements KeptWindows {
  readonly #rule: RateLimit;
  readonly #short: Rule;
  readonly #windows: MemoryWindows;
  readonly #all: AllProcesses;

  constructor(rule: RateLimit, windows: MemoryWindows, all: AllProcesses) {
    this.#rule = rule;
    this.#short = [rule.bucket, rule.max, rule.windowSeconds, rule.by];
    this.#windows = windows;
    this.#all = all;
  }

  async consume(key: string): Promise<RateLimiterRes> {
    return orRefused(this.#rule, await this.#all.take(this.#short, key));
  }

  async reward(key: string): Promise<void> {
    this.#all.order(['giveBack', this.#short, machineMs(), key]);
  }

  async get(key: string): Promise<RateLimiterRes | null> {
    this.#all.catchUp();
    return this.#windows.get(key);
  }

  async delete(key: string): Promise<boolean> {
    return this.#all.order(['delete', this.#short, machineMs(), key]) === true;
  }

  dump(): OpenWindow[] {
    this.#all.catchUp();
    return this.#windows.dump();
  }

  restore(windows: readonly OpenWindow[]): void {
    this.#all.order(['begin', this.#short, machineMs(), this.#windows.rawOf(windows)]);
  }

  add(windows: readonly OpenWindow[]): void {
    this.#all.order(['merge', this.#short, machineMs(), this.#windows.rawOf(windows)]);
  }
}
