import { addSeconds, sleep } from '../clock.ts';

/** What a tail knows of an event. */
interface Told {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** Where the events come from, oldest first. */
export interface Timeline<E extends Told> {
  now(): string;
  newest(limit: number): Promise<E[]>;
  /** @param from ISO time, of which the events are among them */
  since(from: string): AsyncIterable<E>;
  /** Events from a time on, and then those that happen, until it breaks off; some may come twice. Absent: one has to look. */
  live?(from: string): AsyncIterable<E>;
}

/** Where a tail begins and whether it ends. */
export interface TailOptions {
  /** ISO time; events from then on. Without it the newest `last`. */
  since?: string | undefined;
  last: number;
  /** Goes on for ever, looking once a second. */
  follow: boolean;
}

const POLL_MS = 1000;
/** An event is written a moment before its transaction is committed: one that is a little older may still appear. */
export const OVERLAP_SECONDS = 5;

/**
 * Events in the order of their time, each once (licensing 6.14). When it follows, an event that was
 * committed late is given late, but given.
 */
export async function* tailEvents<E extends Told>(
  timeline: Timeline<E>,
  options: TailOptions,
): AsyncGenerator<E> {
  const { since, last, follow } = options;
  const given = new Recent(since ?? '', since ?? timeline.now());
  // What is there already and older than the newest ones is not wanted.
  if (follow && since === undefined) for await (const event of timeline.since(given.from)) given.add(event);
  const past = since === undefined ? await timeline.newest(last) : timeline.since(since);
  for await (const event of past) {
    given.add(event);
    yield event;
  }
  const further = (from: string) => timeline.live?.(from) ?? timeline.since(from);
  while (follow) {
    // What is live waits by itself, and is asked again when it broke off.
    for await (const event of further(given.from)) if (given.add(event)) yield event;
    await sleep(POLL_MS);
  }
}

/** The events of the last seconds that were given already. */
export class Recent {
  readonly #ids = new Map<string, string>();
  readonly #earliest: string;
  #latest: string;

  /** @param earliest ISO time before which no event is wanted; @param start ISO time that it begins at */
  constructor(earliest: string, start: string) {
    this.#earliest = earliest;
    this.#latest = start;
  }

  /** From when on events may still appear. */
  get from(): string {
    const overlap = addSeconds(this.#latest, -OVERLAP_SECONDS);
    return overlap > this.#earliest ? overlap : this.#earliest;
  }

  /** Whether it is a new one. */
  add({ id, at }: Told): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, at);
    if (at > this.#latest) {
      this.#latest = at;
      this.#forget();
    }
    return true;
  }

  /** Maps keep the order of insertion, which is nearly that of time. */
  #forget(): void {
    const { from } = this;
    for (const [id, at] of this.#ids) {
      if (at >= from) return;
      this.#ids.delete(id);
    }
  }
}
