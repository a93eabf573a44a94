import { beginDay, type Day, type Daybook, hasten, MOST_ENTRIES, urgencies } from './daybook.ts';

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

/**
 * Takes what one flush writes beside the requests of a server: first what may break a rule, then a share of what waits
 * for its turn. However many licenses are in use, it is no more than a few thousand.
 *
 * @param now ISO 8601 UTC
 */
export function takeDue(book: Daybook, now: string): Taken[] {
  beginDay(book, now.slice(0, 10));
  const taken = takeFrom(book.next, MOST_PER_FLUSH, isNext);
  for (const queue of [book.ended, book.turn]) {
    const share = Math.max(FEWEST_OF_A_TURN, Math.ceil(queue.length / FLUSHES_OF_A_TURN));
    const room = MOST_PER_FLUSH - taken.length;
    taken.push(...takeFrom(queue, Math.min(share, room), queue === book.ended ? isAny : isTurn));
  }
  taken.push(...takeOldest(book, MOST_PER_FLUSH - taken.length));
  return taken.map((day) => asTaken(book, day));
}

/** Takes everything. @param now ISO 8601 UTC */
export function takeAll(book: Daybook, now: string): Taken[] {
  beginDay(book, now.slice(0, 10));
  const over = [...takeFrom(book.next, Number.POSITIVE_INFINITY, isNext), ...book.ended.splice(0)];
  book.turn = [];
  const days = new Set([...over, ...book.current.values()]);
  for (const day of days) day.urgency = urgencies.none;
  return [...days].map((day) => asTaken(book, day));
}

const asTaken = (book: Daybook, day: Day): Taken => ({
  day,
  isOver: book.current.get(day.licenseId) !== day,
});

/** Puts back what could not be written; the next flush begins with it. */
export function putBack(book: Daybook, taken: readonly Taken[]): void {
  for (const { day } of taken) hasten(book, day, urgencies.next);
}

const isAny = () => true;
/** A day stays in a queue when it is written for another reason, and is passed over there. */
const isNext = ({ urgency }: Day): boolean => urgency === urgencies.next;
const isTurn = ({ urgency }: Day): boolean => urgency === urgencies.turn;

function takeFrom(queue: Day[], most: number, isWanted: (day: Day) => boolean): Day[] {
  const taken: Day[] = [];
  let passed = 0;
  while (passed < queue.length && taken.length < most) {
    const day = queue[passed++] as Day;
    if (!isWanted(day)) continue;
    day.urgency = urgencies.none;
    taken.push(day);
  }
  queue.splice(0, passed);
  return taken;
}

/** Where memory runs short, licenses that were first seen longest ago are written and forgotten before their day ends. */
function takeOldest(book: Daybook, most: number): Day[] {
  const taken: Day[] = [];
  if (book.entries < MOST_ENTRIES * CROWDED) return taken;
  for (const day of book.current.values()) {
    if (taken.length >= most) break;
    if (day.urgency !== urgencies.none) continue;
    book.current.delete(day.licenseId);
    taken.push(day);
  }
  return taken;
}

/** Share of the memory from which on it is short. */
const CROWDED = 0.75;
