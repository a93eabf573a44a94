import type { ProcessChannel } from '../process-channel.ts';
import type { BlockedAddresses } from './blocked-addresses.ts';
import type { CredentialFailures } from './credential-failures.ts';
import type { RateLimit } from './rate-limit.ts';

/** What the process that counts unknown credentials does for the others. */
export const guessOrders = (failures: CredentialFailures) => ({
  guessed: ({ address, credential, rule }: { address: string; credential: string; rule: RateLimit }) =>
    failures.count(address, credential, rule),
});

export type GuessOrders = ReturnType<typeof guessOrders>;

const PATIENCE_MS = 2000;

/**
 * Unknown credentials in one of several processes that serve together: the first of them counts for all, so that they
 * are counted as exactly as in one process.
 *
 * @param blocked addresses that guess, as far as this process was told
 */
export const askedFailures = (
  first: Pick<ProcessChannel<GuessOrders>, 'ask'>,
  blocked: BlockedAddresses,
): CredentialFailures => ({
  async count(address, credential, rule) {
    // Who does not respond counts nothing, and the request is refused all the same.
    const seconds = await first.ask('guessed', { address, credential, rule }, PATIENCE_MS).catch(() => 0);
    if (seconds > 0) blocked.add(address, seconds);
    return seconds;
  },
  blockedSeconds: (address) => blocked.secondsOf(address),
  openWindows: () => [],
  reopen: () => undefined,
  absorb: () => undefined,
});
