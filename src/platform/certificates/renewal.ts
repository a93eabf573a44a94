import { addSeconds } from '#kernel/clock.ts';
import type { StoredCertificate } from './record.ts';

/** After so many minutes an order that failed is tried again. The authority allows five failures in an hour. */
const PAUSES_MINUTES = [2, 10, 30, 60, 180, 360, 720, 1440] as const;
/** An authority that refuses because it was asked too often counts over hours. */
const LIMITED_MINUTES = 360;

/** What is to be done for a name now; `others`: another server uses the authority that issued what is shown. */
export type Due = 'nothing' | 'later' | 'order' | 'others';

type Known = Pick<StoredCertificate, 'directory' | 'chain' | 'beginsAt' | 'endsAt' | 'nextAttemptAt'>;

/**
 * A certificate is renewed when a third of its life is left, whatever its length; one of another authority at once.
 *
 * @param directory of the authority that is configured
 * @param inUse those that other servers of the database are configured for: two that differ would order in turn forever
 */
export function dueOf(
  known: Known | null,
  directory: string,
  now: string,
  inUse: readonly string[] = [],
): Due {
  if (known === null) return 'order';
  if (known.directory !== directory && inUse.includes(known.directory)) return 'others';
  const isCurrent = known.directory === directory && known.chain !== null;
  if (isCurrent && now < renewAt(known)) return 'nothing';
  // Who chose another authority does not wait for the pauses of the one before.
  const waits = known.directory === directory && known.nextAttemptAt !== null && known.nextAttemptAt > now;
  return waits ? 'later' : 'order';
}

/** ISO time from which on a certificate is renewed. */
export function renewAt({ beginsAt, endsAt }: Pick<Known, 'beginsAt' | 'endsAt'>): string {
  if (beginsAt === null || endsAt === null) return '';
  const seconds = (Date.parse(endsAt) - Date.parse(beginsAt)) / 1000;
  return addSeconds(endsAt, -Math.round(seconds / 3));
}

/**
 * When the next order may be made after one that fails.
 *
 * @param failures with this one
 * @param isLimited whether the authority said that it was asked too often
 */
export function nextAttempt(failures: number, now: string, isLimited = false): string {
  const pause = PAUSES_MINUTES[Math.min(failures, PAUSES_MINUTES.length) - 1] ?? PAUSES_MINUTES[0];
  return addSeconds(now, 60 * Math.max(pause, isLimited ? LIMITED_MINUTES : 0));
}
