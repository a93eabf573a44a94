import { addSeconds, isoTime } from '#kernel/clock.ts';
import { madeAt } from '#kernel/ids.ts';
import { OVERLAP_SECONDS } from '#kernel/outbox/tail.ts';

/** An event that a stream has sent. */
interface Sent {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** Where a stream goes on. */
export interface Place {
  /** From when on events may not have been sent yet. ISO 8601 UTC */
  readonly from: string;
  /** Whether an event was sent before. */
  has(id: string): boolean;
}

const MOST_NAMED = 32;
/** Of the end of an id, 40 bits of chance. */
const NAME_LENGTH = 8;

const nameOf = (id: string): string => id.slice(-NAME_LENGTH);

/**
 * What a client sends back to go on: the last event and, by the ends of their ids, those that were sent in the seconds
 * before it. An event that was committed late, with an earlier time, is then told from one that was sent.
 */
export class Trail {
  #sent: Sent[] = [];

  /** Notes an event that is sent. @returns the place after it */
  add(event: Sent): string {
    const since = addSeconds(event.at, -OVERLAP_SECONDS);
    this.#sent = this.#sent.filter(({ at }) => at >= since).slice(-MOST_NAMED);
    const before = this.#sent.map(({ id }) => nameOf(id));
    this.#sent.push(event);
    return [event.id, ...before].join('.');
  }
}

/** Reads what `Trail` wrote, or the plain id of an event; null for anything else. */
export function readPlace(text: string): Place | null {
  const [last = '', ...before] = text.split('.');
  const ms = madeAt(last);
  if (ms === null || before.some((name) => name.length !== NAME_LENGTH)) return null;
  const sent = new Set([nameOf(last), ...before]);
  return { from: addSeconds(isoTime(ms), -OVERLAP_SECONDS), has: (id) => sent.has(nameOf(id)) };
}
