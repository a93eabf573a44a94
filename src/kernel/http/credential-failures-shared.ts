import type { Clock } from '../clock.ts';
import { BlockedAddresses } from './blocked-addresses.ts';
import type { CredentialFailures } from './credential-failures.ts';
import type { RateLimiters } from './rate-limiters.ts';

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
  const blocked = new BlockedAddresses(clock);
  return {
    async count(address, credential, rule) {
      const { windowSeconds } = rule;
      const once = { bucket: `${rule.bucket}_seen`, max: 1, windowSeconds, by: 'credential' } as const;
      const seen = await limiters.take(once, `${address}:${digest(credential)}`);
      if (!seen.allowed) return 0;
      const verdict = await limiters.take(rule, address);
      if (verdict.allowed) return 0;
      const seconds = Math.max(1, verdict.resetSeconds);
      blocked.add(address, seconds);
      return seconds;
    },
    blockedSeconds: (address) => blocked.secondsOf(address),
    // The windows are in the store, which no restart closes.
    openWindows: () => [],
    reopen: () => undefined,
    absorb: () => undefined,
  };
}
