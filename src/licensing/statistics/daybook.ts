import { memoryKey } from '#kernel/process-memory.ts';
import { type Seen, type Sightings, sizeOfSightings } from './sightings.ts';

/** Refusals with one code; machines by their id. */
export interface Denials extends Seen {
  machines: Sightings;
}

/**
 * Seats given back and taken. A pair is a deactivation with an activation after it, so that of each sequence these
 * remain: activations before any deactivation, pairs, and deactivations that still wait for an activation.
 */
export interface Churn {
  unpaired: number;
  pairs: number;
  waiting: number;
  /** ISO 8601 UTC */
  at: string;
}

/** What few licenses see; the others do without its memory. */
export interface Rare {
  /** By decision code. */
  readonly denied: Map<string, Denials>;
  /** Refused activations without a free seat, by minute: `14:05`. */
  exhausted: Sightings;
  /** Heartbeats from the address before the last one, by minute and machine: `14:05 machine-0001`. */
  alternations: Sightings;
  churn: Churn | null;
}

/** How soon something is written: not at all, in its turn, at the next flush. */
export const urgencies = { none: 0, turn: 1, next: 2 } as const;
type Urgency = (typeof urgencies)[keyof typeof urgencies];

/**
 * What happened to one license on one day. It stays until the day ends, so that a machine or address that the database
 * knows of is only counted here. Raw texts are digested when they are written.
 */
export interface Day {
  readonly licenseId: string;
  /** `2026-03-01` */
  readonly day: string;
  /** Counters since the last write. */
  validations: number;
  denials: number;
  heartbeats: number;
  /** Millisecond of the day; negative for none. */
  lastValidatedMs: number;
  /** Whether the database has a row of this day. */
  isKnown: boolean;
  /** Addresses that were given a valid answer. */
  addresses: Sightings;
  /** Machines that asked. */
  machines: Sightings;
  rare: Rare | null;
  urgency: Urgency;
}

/** What one process knows of the present day, and what of it waits to be written. */
export interface Daybook {
  day: string;
  /** By license. */
  current: Map<string, Day>;
  /** Days that ended and wait for their last write. */
  ended: Day[];
  /** What is written in its turn: the first sight of a license on a day. */
  turn: Day[];
  /** What is written at the next flush: it may break a rule. */
  next: Day[];
  /** Days and what they have seen. */
  entries: number;
  /** What found no room since the last flush. */
  dropped: number;
  /** The flush under way; the next one begins after it. */
  flushing: Promise<unknown>;
}

/** Entries that are kept, three for an ordinary license: some 60 megabytes at most. */
export const MOST_ENTRIES = 400_000;
/** Of one kind and license: somebody who makes machine ids up must not use up the room of all others. */
export const MOST_PER_LICENSE = 1000;

/** The memory of one process (`ctx.memory`). */
export const daybookOf = memoryKey<Daybook>('statistics', () => ({
  day: '',
  current: new Map(),
  ended: [],
  turn: [],
  next: [],
  entries: 0,
  dropped: 0,
  flushing: Promise.resolve(),
}));

/** The day of a license; null when there is no room for another one. @param now ISO 8601 UTC */
export function dayOf(book: Daybook, licenseId: string, now: string): Day | null {
  if (!now.startsWith(book.day) || book.day === '') beginDay(book, now.slice(0, 10));
  return book.current.get(licenseId) ?? openDay(book, licenseId);
}

function openDay(book: Daybook, licenseId: string): Day | null {
  if (!takeRoom(book)) return null;
  const day: Day = {
    licenseId,
    day: book.day,
    validations: 0,
    denials: 0,
    heartbeats: 0,
    lastValidatedMs: -1,
    isKnown: false,
    addresses: null,
    machines: null,
    rare: null,
    urgency: urgencies.none,
  };
  book.current.set(licenseId, day);
  return day;
}

/** What a license that shows more than one machine or address saw last decides whether a rule is broken: it is first. */
export function beginDay(book: Daybook, day: string): void {
  if (book.day === day) return;
  for (const one of book.current.values()) {
    if (!isOrdinary(one)) hasten(book, one, urgencies.next);
    if (one.urgency === urgencies.next) continue;
    // Also where it waits for its turn: that is over with its day.
    one.urgency = urgencies.none;
    book.ended.push(one);
  }
  Object.assign(book, { day, current: new Map() });
}

const isOrdinary = ({ machines, addresses }: Day): boolean =>
  !(machines instanceof Map) && !(addresses instanceof Map);

/** Has a day written at least so soon. */
export function hasten(book: Daybook, day: Day, urgency: Urgency): void {
  if (day.urgency >= urgency) return;
  day.urgency = urgency;
  (urgency === urgencies.next ? book.next : book.turn).push(day);
}

/** Room for one more entry; false, and counted, when there is none. */
export function takeRoom(book: Daybook): boolean {
  if (book.entries >= MOST_ENTRIES) {
    book.dropped += 1;
    return false;
  }
  book.entries += 1;
  return true;
}

/** Forgets a day, written or not. */
export function forget(book: Daybook, day: Day): void {
  book.entries -= sizeOf(day);
  if (book.current.get(day.licenseId) === day) book.current.delete(day.licenseId);
}

function sizeOf({ addresses, machines, rare }: Day): number {
  const seen = [addresses, machines, rare?.exhausted ?? null, rare?.alternations ?? null];
  const denied = [...(rare?.denied.values() ?? [])].map((code) => 1 + sizeOfSightings(code.machines));
  return [...seen.map(sizeOfSightings), ...denied].reduce((sum, size) => sum + size, 1);
}
