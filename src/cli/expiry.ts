import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Cli } from './frame/context.ts';
import { usageError } from './frame/errors.ts';

/**
 * The end that `--expires` asks for.
 *
 * @returns undefined when it was not given
 * @throws usage error (2) for no time at all, or more than a hundred years
 */
export function expiryAsked(cli: Cli, now: string): string | undefined {
  const seconds = cli.seconds('expires');
  if (seconds === undefined) return undefined;
  if (seconds === 0 || seconds > 36_525 * SECONDS_PER_DAY) {
    throw usageError(`--expires '${cli.option('expires')}' is out of range`, 'write a time such as 90d');
  }
  return addSeconds(now, seconds);
}
