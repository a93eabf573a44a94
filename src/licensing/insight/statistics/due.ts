import {
  beginDay,
  type Day,
  type Daybook,
  endEarly,
  hasten,
  MOST_ENTRIES,
  takeFrom,
  urgencies,
} from './daybook.ts';

/** A day that is taken out to be written. */
export interface Taken {
  readonly day: Day;
  /** It is written for the last time, and then forgotten. */
  readonly isOver: boolean;
}

/** Licenses of one flush; a run of the job comes every ten seconds. */
const MOST_PER_FLUSH = 2500;
/** What waits for its turn is written over half an hour, */
const FLUSHES_OF_A_TURN = 180;
/** and so many in any case, so that the last of them do not wait for ever. */
const FEWEST_OF_A_TURN = 50;

/** Share of the memory from which on it is short. */
const CROWDED = 0.75;

/**
 * Takes what one flush writes beside the requests of a server: first what may break a rule, then a share of what waits
 * for its turn. However many licenses are in use, it is no more than a few thousand.
 *
 * @param now ISO 8601 UTC
 */
export function takeDue(book: Daybook, now: string): Taken[] {
  beginDay(book, now.slice(0, 10));
  const { next, over, turn } = book.queues;
  const isCrowded = book.entries >= MOST_ENTRIES * CROWDED;
  if (isCrowded) endOldest(book, MOST_PER_FLUSH - over.size);
  const taken = takeFrom(next, MOST_PER_FLUSH);
  // Days that are over are forgotten when they are written.
  taken.push(
    ...takeFrom(over, Math.min(isCrowded ? over.size : shareOf(over), MOST_PER_FLUSH - taken.length)),
  );
  taken.push(...takeFrom(turn, Math.min(shareOf(turn), MOST_PER_FLUSH - taken.length)));
  return taken.map((day) => asTaken(book, day));
}

const shareOf = ({ size }: ReadonlySet<Day>): number =>
  Math.max(FEWEST_OF_A_TURN, Math.ceil(size / FLUSHES_OF_A_TURN));

/** Takes everything. @param now ISO 8601 UTC */
export function takeAll(book: Daybook, now: string): Taken[] {
  beginDay(book, now.slice(0, 10));
  const queued = Object.values(book.queues).flatMap((queue) => takeFrom(queue, queue.size));
  return [...new Set([...queued, ...book.current.values()])].map((day) => asTaken(book, day));
}

const asTaken = (book: Daybook, day: Day): Taken => ({
  day,
  isOver: book.current.get(day.licenseId) !== day,
});

/** Puts back what could not be written; the next flush begins with it. */
export function putBack(book: Daybook, taken: readonly Taken[]): void {
  for (const { day } of taken) hasten(book, day, urgencies.next);
}

/** Where memory runs short, licenses that were first seen longest ago are written and forgotten before their day ends. */
function endOldest(book: Daybook, most: number): void {
  let ended = 0;
  for (const day of book.current.values()) {
    if (ended >= most) break;
    // It is written anyway, and stays: what it sees may break a rule.
    if (day.urgency === urgencies.next) continue;
    endEarly(book, day);
    ended += 1;
  }
}
