import type { Clock } from '../clock.ts';
import type { CredentialFailures } from './credential-failures.ts';
import type { RateLimiters } from './rate-limiters.ts';

/** Addresses that are known to be over the limit; beyond this many the oldest is asked about anew. */
const MAX_BLOCKED = 20_000;

/**
 * Distinct unknown credentials per address, counted over all processes that share a store (D19d, M18). Only a
 * request with an unknown credential costs a query: an address that guessed through another process is refused here
 * at its next guess.
 *
 * @param digest keyed digest of a credential: the tried credential itself is not kept
 * @param limiters of the shared store
 */
export function createSharedFailures(
  clock: Clock,
  digest: (credential: string) => string,
  limiters: RateLimiters,
): CredentialFailures {
  const blockedUntilMs = new Map<string, number>();
  const block = (address: string, seconds: number): void => {
    const oldest = blockedUntilMs.size < MAX_BLOCKED ? undefined : blockedUntilMs.keys().next().value;
    if (oldest !== undefined) blockedUntilMs.delete(oldest);
    blockedUntilMs.set(address, clock.monotonicMs() + seconds * 1000);
  };
  return {
    async count(address, credential, rule) {
      const { windowSeconds } = rule;
      const once = { bucket: `${rule.bucket}_seen`, max: 1, windowSeconds, by: 'credential' } as const;
      const seen = await limiters.take(once, `${address}:${digest(credential)}`);
      if (!seen.allowed) return 0;
      const verdict = await limiters.take(rule, address);
      if (verdict.allowed) return 0;
      const seconds = Math.max(1, verdict.resetSeconds);
      block(address, seconds);
      return seconds;
    },
    blockedSeconds(address) {
      const leftMs = (blockedUntilMs.get(address) ?? 0) - clock.monotonicMs();
      if (leftMs > 0) return Math.ceil(leftMs / 1000);
      blockedUntilMs.delete(address);
      return 0;
    },
    // The windows are in the store, which no restart closes.
    openWindows: () => [],
    reopen: () => undefined,
    absorb: () => undefined,
  };
}
