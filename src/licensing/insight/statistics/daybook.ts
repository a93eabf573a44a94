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

/** How soon something is written: not at all, in its turn, now that its day is over, at the next flush. */
export const urgencies = { none: 0, turn: 1, over: 2, next: 3 } as const;
type Urgency = (typeof urgencies)[keyof typeof urgencies];

/**
 * What happened to one license on one day. It stays until the day ends, so that a machine or address that the database
 * knows of is only counted here. Raw texts are digested when they are written.
 */
export interface Day {
  readonly licenseId: string;
  /** `2026-03-01` */
  readonly day: string;
  /** Counters, written when the day is over. */
  validations: number;
  denials: number;
  heartbeats: number;
  /** Millisecond of the day; negative for none. */
  lastValidatedMs: number;
  /** Addresses that were given a valid answer. */
  addresses: Sightings;
  /** Machines that asked. */
  machines: Sightings;
  rare: Rare | null;
  /** Says in which queue it waits. */
  urgency: Urgency;
}

interface Queues {
  /** The first sight of a license on a day. */
  readonly turn: Set<Day>;
  /** Days that ended and wait for their last write. */
  readonly over: Set<Day>;
  /** What may break a rule. */
  readonly next: Set<Day>;
}

/** What one process knows of the present day, and what of it waits to be written. */
export interface Daybook {
  day: string;
  /** By license. */
  current: Map<string, Day>;
  /** What waits to be written, each day in one queue at most: it would be written and forgotten twice. */
  readonly queues: Queues;
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
  queues: { turn: new Set(), over: new Set(), next: new Set() },
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
  for (const one of book.current.values())
    hasten(book, one, isOrdinary(one) ? urgencies.over : urgencies.next);
  Object.assign(book, { day, current: new Map() });
}

const isOrdinary = ({ machines, addresses }: Day): boolean =>
  !(machines instanceof Map) && !(addresses instanceof Map);

/** Has a day written at least so soon. */
export function hasten(book: Daybook, day: Day, urgency: Urgency): void {
  if (day.urgency >= urgency) return;
  queueOf(book, day)?.delete(day);
  day.urgency = urgency;
  queueOf(book, day)?.add(day);
}

function queueOf({ queues }: Daybook, { urgency }: Day): Set<Day> | null {
  if (urgency === urgencies.next) return queues.next;
  if (urgency === urgencies.over) return queues.over;
  return urgency === urgencies.turn ? queues.turn : null;
}

/** Takes days out of a queue, the first ones first. */
export function takeFrom(queue: Set<Day>, most: number): Day[] {
  const taken: Day[] = [];
  for (const day of queue) {
    if (taken.length >= most) break;
    queue.delete(day);
    day.urgency = urgencies.none;
    taken.push(day);
  }
  return taken;
}

/** Ends a day before its time; what comes after it is another one. */
export function endEarly(book: Daybook, day: Day): void {
  book.current.delete(day.licenseId);
  hasten(book, day, urgencies.over);
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

/** Forgets a day that is over, written or not. */
export function forget(book: Daybook, day: Day): void {
  book.entries -= sizeOf(day);
}

/** Entries of a day. */
export function sizeOf({ addresses, machines, rare }: Day): number {
  const seen = [addresses, machines, rare?.exhausted ?? null, rare?.alternations ?? null];
  const denied = [...(rare?.denied.values() ?? [])].map((code) => 1 + sizeOfSightings(code.machines));
  return [...seen.map(sizeOfSightings), ...denied].reduce((sum, size) => sum + size, 1);
}
