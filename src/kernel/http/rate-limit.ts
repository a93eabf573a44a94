import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { containmentKey } from './client-address.ts';

/** One documented bucket: at most `max` requests in a window that opens with the first request of its key. */
export interface RateLimit {
  readonly bucket: string;
  readonly max: number;
  readonly windowSeconds: number;
  readonly by: 'ip' | 'credential';
}

export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** Makes the limiter of one bucket and size; a changed limit makes a new one whose windows start empty (D14). */
export type LimiterFactory = (rule: RateLimit) => RateLimiterAbstract;

/** Limiters of one server process, or of several when the factory keeps them in Postgres. */
export interface RateLimiters {
  /**
   * Takes one point. Never call it inside a transaction: the Postgres store takes a connection of its own (M18).
   *
   * @param key address or credential id; never built from body fields
   */
  take(rule: RateLimit, key: string): Promise<RateVerdict>;
}

/** New addresses beyond this many live keys are counted per network, so that memory stays bounded (M18). */
const MAX_LIVE_KEYS = 100_000;

export const memoryLimiter: LimiterFactory = (rule) =>
  new RateLimiterMemory({
    keyPrefix: `${rule.bucket}:${rule.max}:${rule.windowSeconds}`,
    points: rule.max,
    duration: rule.windowSeconds,
    blockDuration: 0,
  });

/** Limiters by bucket and size, made on first use. */
export function createRateLimiters(make: LimiterFactory): RateLimiters {
  const limiters = new Map<string, RateLimiterAbstract>();
  let liveKeys = 0;
  const limiterOf = (rule: RateLimit): RateLimiterAbstract => {
    const name = `${rule.bucket}:${rule.max}:${rule.windowSeconds}`;
    let limiter = limiters.get(name);
    if (!limiter) limiters.set(name, (limiter = make(rule)));
    return limiter;
  };
  const countKey = (result: RateLimiterRes, windowSeconds: number): void => {
    if (!result.isFirstInDuration) return;
    liveKeys += 1;
    setTimeout(() => (liveKeys -= 1), windowSeconds * 1000).unref();
  };
  return {
    async take(rule, key) {
      const counted = rule.by === 'ip' && liveKeys >= MAX_LIVE_KEYS ? containmentKey(key) : key;
      try {
        const result = await limiterOf(rule).consume(counted);
        countKey(result, rule.windowSeconds);
        return verdict(rule, result, true);
      } catch (refusal) {
        // A full bucket rejects with a result, a broken store with an Error.
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return verdict(rule, refusal, false);
      }
    },
  };
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
