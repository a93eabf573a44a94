import {
  type RateLimiterAbstract,
  RateLimiterRes,
  type RateLimiterStoreAbstract,
} from 'rate-limiter-flexible';
import { type Clock, systemClock } from '../clock.ts';
import { sharedKey } from './limit-key.ts';
import { LiveKeys } from './live-keys.ts';
import type { OpenWindow, RateLimit } from './rate-limit.ts';
import { type KeptWindows, MemoryWindows } from './rate-limit-memory.ts';

export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** Makes the limiter of one bucket and size; a changed limit makes a new one whose windows start empty (D14). */
export type LimiterFactory = (rule: RateLimit) => Limiter;

/** Counts the windows of one bucket and size: of this machine, or of all that share a store. */
export type Limiter = KeptWindows | RateLimiterAbstract;

const keepsWindows = (limiter: Limiter): limiter is KeptWindows => 'dump' in limiter;

/** The open windows of one bucket and size. */
export interface OpenBucket {
  readonly rule: RateLimit;
  readonly windows: readonly OpenWindow[];
}

/** Limiters of one server process, or of several when the factory keeps them in Postgres. */
export interface RateLimiters {
  /**
   * Takes one point. Never call it inside a transaction: the Postgres store takes a connection of its own (M18).
   *
   * @param key address or credential id; never built from body fields
   */
  take(rule: RateLimit, key: string): Promise<RateVerdict>;
  /** Gives a point back that was taken. */
  giveBack(rule: RateLimit, key: string): Promise<void>;
  /**
   * How much of a limit is used in the window that is open; it takes no point.
   *
   * @returns null where no window is open
   */
  used(
    rule: RateLimit,
    key: string,
  ): Promise<{ readonly points: number; readonly resetSeconds: number } | null>;
  /** What is counted in this process's memory; nothing of a bucket that is kept in the database. */
  openBuckets(): OpenBucket[];
  /** Goes on with windows of an earlier process; those that ended meanwhile stay closed (M18). */
  reopen(buckets: readonly OpenBucket[]): void;
  /** Adds what an earlier process counted while this one was already at work. */
  absorb(buckets: readonly OpenBucket[]): void;
}

/** New addresses beyond this many live keys are counted per network, so that memory stays bounded (M18). */
const MAX_LIVE_KEYS = 100_000;
/** The clocks of two servers that share a store may differ by this much. */
const CLOCK_TOLERANCE_MS = 60_000;

export const memoryLimiter: LimiterFactory = (rule) => new MemoryWindows(rule);

interface Bucket {
  readonly rule: RateLimit;
  readonly limiter: Limiter;
}

/** What processes that count together know of each other. */
interface Together {
  /** Windows that are open. */
  readonly liveKeys: LiveKeys;
  /** Of which another process has counted something. */
  rules(): readonly RateLimit[];
}

/** Buckets of one name but another size are different ones. */
export const bucketName = ({ bucket, max, windowSeconds }: RateLimit): string =>
  `${bucket}:${max}:${windowSeconds}`;

/**
 * Limiters by bucket and size, made on first use.
 *
 * @param clock its wall clock decides which windows of an earlier process are still open
 * @param together what is counted of other processes, too
 */
export function createRateLimiters(
  make: LimiterFactory,
  clock: Clock,
  together: Together = { liveKeys: new LiveKeys(systemClock), rules: () => [] },
): RateLimiters {
  const { liveKeys } = together;
  const buckets = new Map<string, Bucket>();
  const open = ({ rule, windows }: OpenBucket, take: typeof reopenIn): void => {
    const live = stillOpen(windows, rule, clock.epochMs());
    take(limiterOf(rule), live);
    for (const { endsMs } of live) liveKeys.add(endsMs - clock.epochMs());
  };
  const limiterOf = (rule: RateLimit): Limiter => {
    const name = bucketName(rule);
    let bucket = buckets.get(name);
    if (!bucket) buckets.set(name, (bucket = { rule, limiter: make(rule) }));
    return bucket.limiter;
  };
  return {
    async take(rule, key) {
      const counted = liveKeys.count >= MAX_LIVE_KEYS ? sharedKey(rule, key) : key;
      const { result, allowed } = await takeFrom(limiterOf(rule), rule, counted);
      if (allowed && result.isFirstInDuration) liveKeys.add(rule.windowSeconds * 1000);
      return verdict(rule, result, allowed);
    },
    giveBack: (rule, key) => giveBackTo(limiterOf(rule), key),
    async used(rule, key) {
      const result = await limiterOf(rule).get(key);
      if (result === null || result.msBeforeNext <= 0) return null;
      return { points: result.consumedPoints, resetSeconds: verdict(rule, result, true).resetSeconds };
    },
    openBuckets() {
      for (const rule of together.rules()) limiterOf(rule);
      return [...buckets.values()].flatMap(openWindowsOf);
    },
    reopen(remembered) {
      for (const bucket of remembered) open(bucket, reopenIn);
    },
    absorb(counted) {
      for (const bucket of counted) open(bucket, addTo);
    },
  };
}

interface Consumed {
  readonly result: RateLimiterRes;
  readonly allowed: boolean;
}

async function takeFrom(limiter: Limiter, rule: RateLimit, key: string): Promise<Consumed> {
  const consumed = await consume(limiter, key);
  if (consumed.allowed || !endsTooLate(rule, consumed.result)) return consumed;
  await limiter.delete(key);
  return consume(limiter, key);
}

async function giveBackTo(limiter: Limiter, key: string): Promise<void> {
  await limiter.reward(key);
  // The store remembers without asking that a window is full.
  if ('deleteInMemoryBlockedAll' in limiter) (limiter as RateLimiterStoreAbstract).deleteInMemoryBlockedAll();
}

async function consume(limiter: Limiter, key: string): Promise<Consumed> {
  try {
    return { result: await limiter.consume(key), allowed: true };
  } catch (refusal) {
    // A full bucket rejects with a result, a broken store with an Error.
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { result: refusal, allowed: false };
  }
}

/**
 * Whether a window ends later than one that opens now: the wall clock, by which a store ends it, was set back since. It
 * would keep its client out until that time comes again (M20).
 */
const endsTooLate = (rule: RateLimit, { msBeforeNext }: RateLimiterRes): boolean =>
  msBeforeNext > rule.windowSeconds * 1000 + CLOCK_TOLERANCE_MS;

function openWindowsOf({ rule, limiter }: Bucket): OpenBucket[] {
  const windows = keepsWindows(limiter) ? limiter.dump() : [];
  return windows.length > 0 ? [{ rule, windows }] : [];
}

/** No window ends later than one that opened now: the wall clock may have been set back between the two processes. */
function stillOpen(windows: readonly OpenWindow[], rule: RateLimit, nowMs: number): OpenWindow[] {
  const latestMs = nowMs + rule.windowSeconds * 1000;
  return windows
    .filter(({ endsMs }) => endsMs > nowMs)
    .map((window) => ({ ...window, endsMs: Math.min(window.endsMs, latestMs) }));
}

/** In a shared store the windows never closed. */
function reopenIn(limiter: Limiter, windows: readonly OpenWindow[]): void {
  if (keepsWindows(limiter)) limiter.restore(windows);
}

function addTo(limiter: Limiter, windows: readonly OpenWindow[]): void {
  if (keepsWindows(limiter)) limiter.add(windows);
}

function verdict(rule: RateLimit, result: RateLimiterRes, allowed: boolean): RateVerdict {
  return {
    allowed,
    limit: rule.max,
    remaining: Math.max(0, Math.min(rule.max, result.remainingPoints)),
    // After a clock step the raw value may be negative or longer than the window.
    resetSeconds: Math.min(rule.windowSeconds, Math.max(0, Math.ceil(result.msBeforeNext / 1000))),
  };
}
