import { memoryKey } from '#kernel/process-memory.ts';

/** How often something was seen, and from when to when; times are ISO 8601 UTC. */
export interface Seen {
  count: number;
  firstAt: string;
  lastAt: string;
}

/** Refusals with one code; machines by their id. */
export interface Denials extends Seen {
  machines: Map<string, Seen>;
}

/**
 * Seats given back and taken. A pair is a deactivation with an activation after it, so that of each sequence these
 * remain: activations before any deactivation, pairs, and deactivations that still wait for an activation.
 */
export interface Churn {
  unpaired: number;
  pairs: number;
  waiting: number;
  at: string;
}

/** What happened to one license within one hour and since the last flush. Raw texts are digested when it is written. */
export interface Tally {
  readonly licenseId: string;
  /** `2026-03-01T12` */
  readonly hour: string;
  validations: number;
  denials: number;
  heartbeats: number;
  lastValidatedAt: string | null;
  /** Addresses that were given a valid answer. */
  readonly addresses: Map<string, Seen>;
  /** Machines that asked. */
  readonly machines: Map<string, Seen>;
  /** By decision code. */
  readonly denied: Map<string, Denials>;
  /** Refused activations without a free seat, by minute of the hour. */
  readonly exhausted: Map<string, Seen>;
  /** Heartbeats from the address before the last one, by minute and machine: `05 machine-0001`. */
  readonly alternations: Map<string, Seen>;
  churn: Churn | null;
}

/** What waits for the next flush. */
export interface Pending {
  /** The running tally of each license. */
  current: Map<string, Tally>;
  /** Tallies of hours that have ended, and those that could not be written. */
  finished: Tally[];
  /** Tallies and entries of their maps. */
  entries: number;
  /** What found no room since the last flush. */
  dropped: number;
  /** The flush under way; the next one begins after it. */
  flushing: Promise<unknown>;
}

/** Entries that may wait: some ten megabytes at most, written within a second. */
export const MOST_ENTRIES = 30_000;
/** Of one license: somebody who makes machine ids up must not use up the room of all others. */
export const MOST_PER_LICENSE = 1000;

/** The memory of one process (`ctx.memory`). */
export const pendingTallies = memoryKey<Pending>('statistics', () => ({
  current: new Map(),
  finished: [],
  entries: 0,
  dropped: 0,
  flushing: Promise.resolve(),
}));

/** The tally of a license in an hour; null when there is no room for another one. */
export function tallyOf(pending: Pending, licenseId: string, now: string): Tally | null {
  const running = pending.current.get(licenseId);
  if (running && now.startsWith(running.hour)) return running;
  if (pending.entries >= MOST_ENTRIES) {
    pending.dropped += 1;
    return null;
  }
  if (running) pending.finished.push(running);
  pending.entries += 1;
  const tally: Tally = {
    licenseId,
    hour: now.slice(0, 13),
    validations: 0,
    denials: 0,
    heartbeats: 0,
    lastValidatedAt: null,
    addresses: new Map(),
    machines: new Map(),
    denied: new Map(),
    exhausted: new Map(),
    alternations: new Map(),
    churn: null,
  };
  pending.current.set(licenseId, tally);
  return tally;
}

/** Counts something under a name, if there is room for a new one. */
export function see(pending: Pending, where: Map<string, Seen>, name: string, now: string): void {
  const seen = where.get(name);
  if (seen) {
    seen.count += 1;
    seen.lastAt = now;
  } else if (hasRoom(pending, where)) {
    where.set(name, { count: 1, firstAt: now, lastAt: now });
  }
}

/** Counts a refusal, and the machine that got it. */
export function seeDenial(
  pending: Pending,
  tally: Tally,
  code: string,
  machineId: string,
  now: string,
): void {
  let denials = tally.denied.get(code);
  if (denials) {
    denials.count += 1;
    denials.lastAt = now;
  } else {
    if (!hasRoom(pending, tally.denied)) return;
    denials = { count: 1, firstAt: now, lastAt: now, machines: new Map() };
    tally.denied.set(code, denials);
  }
  if (machineId !== '') see(pending, denials.machines, machineId, now);
}

function hasRoom(pending: Pending, where: ReadonlyMap<string, unknown>): boolean {
  if (where.size >= MOST_PER_LICENSE || pending.entries >= MOST_ENTRIES) {
    pending.dropped += 1;
    return false;
  }
  pending.entries += 1;
  return true;
}

/** Takes everything out; what is seen from now on waits for the next flush. */
export function takeAll(pending: Pending): { tallies: Tally[]; dropped: number } {
  const taken = { tallies: [...pending.finished, ...pending.current.values()], dropped: pending.dropped };
  Object.assign(pending, { current: new Map(), finished: [], entries: 0, dropped: 0 });
  return taken;
}

/** Puts tallies back that could not be written, as far as there is room. */
export function putBack(pending: Pending, tallies: readonly Tally[]): void {
  for (const tally of tallies) {
    const size = sizeOf(tally);
    if (pending.entries + size > MOST_ENTRIES) pending.dropped += size;
    else {
      pending.finished.push(tally);
      pending.entries += size;
    }
  }
}

function sizeOf({ addresses, machines, denied, exhausted, alternations }: Tally): number {
  const deniedSize = [...denied.values()].reduce((sum, code) => sum + 1 + code.machines.size, 0);
  return 1 + addresses.size + machines.size + deniedSize + exhausted.size + alternations.size;
}
