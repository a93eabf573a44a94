import type { Held } from './claims/repository.ts';

/** Entries that may be on their way at once (M6). */
const PER_TARGET = 2;
const IN_ALL = 20;
/** Entries that are claimed beyond those for a target that answers at once, so that one transaction serves many. */
const AHEAD = 24;
/** With no more than these left the next ones are claimed. */
const LOW = 6;
const FAST_MS = 250;

/** What is on its way to one target, and what is claimed for it. */
interface Lane {
  readonly target: string;
  sending: number;
  /** Begun, and its outcome is not written; or on the way back. */
  underWay: number;
  /** Kind of its entries while it fails: each is counted before it is claimed. null for a target that does not. */
  failing: string | null;
  /** Claimed and not begun, the longest due first. */
  claimed: Held[];
  /** Whether the outbox may hold more of it. */
  hasMore: boolean;
  isFast: boolean;
  /** When it last had its turn: a count that rises. */
  turn: number;
}

/** How many entries of a target to claim. */
export interface Ask {
  target: string;
  count: number;
  /** Kind of the entries, of a target that fails. */
  failing: string | null;
}

/** Which target has its turn. A receiver that is away takes two places at most, and the others do not wait for it. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Sent or being settled. */
  #underWay = 0;
  #turns = 0;

  /** Whether there is something to claim and a place for it. */
  get isHungry(): boolean {
    return this.asks().length > 0;
  }

  /** @param due targets that the outbox holds something for, at this moment */
  see(due: readonly string[]): void {
    const seen = new Set(due);
    for (const lane of this.#lanes.values()) {
      lane.hasMore = seen.has(lane.target);
      // What is not in use is forgotten: targets come and go.
      if (!lane.hasMore && lane.underWay === 0 && lane.claimed.length === 0) this.#lanes.delete(lane.target);
    }
    for (const target of due) if (!this.#lanes.has(target)) this.#lanes.set(target, newLane(target));
  }

  /** What to claim, those first that have waited longest for their turn. */
  asks(): Ask[] {
    let places = this.#freePlaces();
    const asks: Ask[] = [];
    for (const lane of this.#inTurn((one) => one.hasMore)) {
      const count = roomOf(lane, places);
      if (count === 0) continue;
      asks.push({ target: lane.target, count, failing: lane.failing });
      places -= Math.min(count, PER_TARGET);
    }
    return asks;
  }

  /**
   * @param held what the claim gave
   * @returns those that must not begin: the target began to fail while they were claimed without being counted
   */
  add({ target, count, failing }: Ask, held: readonly Held[]): readonly Held[] {
    const lane = this.#lanes.get(target);
    if (!lane || lane.failing !== failing) return held;
    lane.hasMore = count > 0 && held.length === count;
    lane.claimed = [...lane.claimed, ...held].sort(byAge);
    return [];
  }

  /** From now on entries of a target are counted. @returns those that are claimed, were not and must not begin */
  slow(target: string, kind: string): Held[] {
    const lane = this.#lanes.get(target);
    if (!lane || lane.failing !== null) return [];
    lane.failing = kind;
    lane.hasMore = true;
    lane.underWay += lane.claimed.length;
    return lane.claimed.splice(0);
  }

  /** What `slow` gave out is back in the outbox. */
  returned(target: string, count: number): void {
    const lane = this.#lanes.get(target);
    if (lane) lane.underWay -= count;
  }

  /** The target does not fail any more. */
  recover(target: string): void {
    const lane = this.#lanes.get(target);
    if (lane) lane.failing = null;
  }

  /** The next entry to send, which then is on its way; null when no place is free. */
  take(): Held | null {
    if (this.#underWay >= IN_ALL) return null;
    const [lane] = this.#inTurn((one) => one.claimed.length > 0 && one.sending < PER_TARGET);
    const held = lane?.claimed.shift();
    if (!lane || !held) return null;
    this.#turns += 1;
    lane.turn = this.#turns;
    lane.sending += 1;
    lane.underWay += 1;
    this.#underWay += 1;
    return held;
  }

  /** The receiver has answered, or will not: its place is free while the outcome is written. */
  answered(target: string, ms: number): void {
    const lane = this.#lanes.get(target);
    if (!lane) return;
    lane.sending -= 1;
    lane.isFast = ms < FAST_MS;
  }

  /** The outcome is written, or dropped. */
  settled(target: string): void {
    this.#underWay -= 1;
    const lane = this.#lanes.get(target);
    if (lane) lane.underWay -= 1;
  }

  /** Gives out all that is claimed and not begun. */
  empty(): Held[] {
    return [...this.#lanes.values()].flatMap((lane) => lane.claimed.splice(0));
  }

  /** Places that neither are taken nor will be by what is claimed for them. */
  #freePlaces(): number {
    let places = IN_ALL - this.#underWay;
    for (const { sending, claimed } of this.#lanes.values())
      places -= Math.min(claimed.length, PER_TARGET - sending);
    return places;
  }

  #inTurn(isMeant: (lane: Lane) => boolean): Lane[] {
    return [...this.#lanes.values()].filter(isMeant).sort((a, b) => a.turn - b.turn);
  }
}

const newLane = (target: string): Lane => ({
  ...{ target, sending: 0, underWay: 0, failing: null, claimed: [] },
  ...{ hasMore: true, isFast: false, turn: 0 },
});

function roomOf(lane: Lane, places: number): number {
  const { sending, claimed, isFast } = lane;
  // What comes of those that are under way decides how many may follow.
  if (lane.failing !== null && lane.underWay > 0) return 0;
  const startable = Math.max(0, PER_TARGET - sending - claimed.length);
  if (!isFast || lane.failing !== null) return Math.max(0, Math.min(startable, places));
  if (places <= 0 && sending === 0) return 0;
  return claimed.length > LOW ? 0 : PER_TARGET + AHEAD - sending - claimed.length;
}

const byAge = (a: Held, b: Held): number =>
  compare(a.availableAt, b.availableAt) || compare(a.entry.id, b.entry.id);

const compare = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
