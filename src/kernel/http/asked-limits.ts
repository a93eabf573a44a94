import type { ProcessChannel } from '../process-channel.ts';
import type { BlockedAddresses } from './blocked-addresses.ts';
import type { CredentialFailures } from './credential-failures.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RateLimiters } from './rate-limiters.ts';

interface Counted {
  readonly limiters: RateLimiters;
  readonly failures: CredentialFailures;
}

interface OfKey {
  readonly rule: RateLimit;
  readonly key: string;
}

/** What the process that counts does for the others. */
export const countingOrders = ({ limiters, failures }: Counted) => ({
  take: ({ rule, key }: OfKey) => limiters.take(rule, key),
  giveBack: ({ rule, key }: OfKey) => limiters.giveBack(rule, key),
  used: ({ rule, key }: OfKey) => limiters.used(rule, key),
  guessed: ({ address, credential, rule }: { address: string; credential: string; rule: RateLimit }) =>
    failures.count(address, credential, rule),
});

export type CountingOrders = ReturnType<typeof countingOrders>;

const KEEPS_NOTHING = { reopen: () => undefined, absorb: () => undefined };

/**
 * Limits of one of several processes that serve together: the first of them counts for all, so that they are as exact as
 * in one process. Requests of one turn of the event loop are counted in one message.
 *
 * @param blocked addresses that guess, as far as this process was told
 */
export function askedLimits(
  first: Pick<ProcessChannel<CountingOrders>, 'ask'>,
  blocked: BlockedAddresses,
): Counted {
  return {
    limiters: {
      take: (rule, key) => first.ask('take', { rule, key }),
      giveBack: (rule, key) => first.ask('giveBack', { rule, key }),
      used: (rule, key) => first.ask('used', { rule, key }),
      openBuckets: () => [],
      ...KEEPS_NOTHING,
    },
    failures: {
      async count(address, credential, rule) {
        const seconds = await first.ask('guessed', { address, credential, rule });
        if (seconds > 0) blocked.add(address, seconds);
        return seconds;
      },
      blockedSeconds: (address) => blocked.secondsOf(address),
      openWindows: () => [],
      ...KEEPS_NOTHING,
    },
  };
}
