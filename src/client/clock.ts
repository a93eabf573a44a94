import type { Events } from './events.ts';
import { isInteger } from './shape.ts';
import type { Store } from './storage.ts';

/** The clock of the platform, in Unix milliseconds. */
export const platformNow = (): number => Date.now();

/** How far a clock may be behind before it is suspected (7.3). */
export const TOLERANCE_MS = 300_000;

/** @returns null for a number that no date stands for */
export const isoOf = (ms: number): string | null =>
  Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null;

/** The client's own clock, and the highest time it has ever seen: a clock that was set back opens nothing. */
export interface Clock {
  now(): number;
  /** The highest time seen; Unix milliseconds. */
  lastSeen(): number;
  /**
   * The highest time that the own clock or a signature has shown. What nobody has signed is left out: one forged answer
   * would end the statements of all releases for ever.
   */
  latest(): number;
  /** The server's time as far as it is known: its times must not be measured by a clock that is wrong. */
  serverNow(): number;
  /** Takes back what the storage knows. */
  load(): Promise<void>;
  /** Notes a token's time of issue. */
  noteIssue(ms: number): Promise<void>;
  /**
   * Notes the time of an answer that came just now. A signed one replaces the highest time, because it is proof:
   * otherwise a machine that once started with a clock in the future could never work offline again.
   */
  noteServer(ms: number, signed: boolean): Promise<void>;
  /** Notes a time that serves to measure the server's other times and proves nothing. */
  hint(ms: number): void;
  /** Notes the own clock; true, with the event clock-suspect, when it is too far behind. */
  isSuspect(): Promise<boolean>;
}

/** @param now Unix milliseconds */
export function createClock(now: () => number, store: Store, events: Events): Clock {
  let lastSeen = 0;
  let vouched = 0;
  let suspected = false;
  let ahead = 0;
  const set = async (seen: number, sure: number): Promise<void> => {
    if (seen === lastSeen && sure === vouched) return;
    lastSeen = seen;
    vouched = sure;
    await store.write('clock', { lastSeen, vouched });
  };
  // Another client on this storage may have seen a later time.
  const raise = async (ms: number): Promise<void> => {
    if (ms <= lastSeen && ms <= vouched) return;
    lastSeen = Math.max(lastSeen, ms);
    vouched = Math.max(vouched, ms);
    await store.merge('clock', (stored) => ({
      lastSeen: Math.max(lastSeen, isInteger(stored?.lastSeen) ? stored.lastSeen : 0),
      vouched: Math.max(vouched, isInteger(stored?.vouched) ? stored.vouched : 0),
    }));
  };
  return {
    now,
    lastSeen: () => lastSeen,
    latest: () => Math.max(now(), vouched),
    async load() {
      const stored = (await store.read('clock')) ?? {};
      if (isInteger(stored.lastSeen)) lastSeen = Math.max(lastSeen, stored.lastSeen);
      if (isInteger(stored.vouched)) vouched = Math.max(vouched, stored.vouched);
    },
    serverNow: () => now() + ahead,
    noteIssue: raise,
    hint: (ms) => void (ahead = ms - now()),
    noteServer(ms, signed) {
      ahead = ms - now();
      const proven = Math.max(ms, now());
      return signed ? set(proven, proven) : set(Math.max(lastSeen, ms), vouched);
    },
    async isSuspect() {
      const own = now();
      const before = suspected;
      suspected = own < lastSeen - TOLERANCE_MS;
      await raise(own);
      if (suspected && !before) {
        events.emit('clock-suspect', { now: isoOf(own) ?? '', lastSeen: isoOf(lastSeen) ?? '' });
      }
      return suspected;
    },
  };
}
