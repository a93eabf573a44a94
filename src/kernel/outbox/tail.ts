import { addSeconds, sleep } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { type EventFilter, listEventsAfter, listNewestEvents, type TimelineEvent } from './queries.ts';

/** Where a tail begins and whether it ends. */
export interface TailOptions {
  /** ISO time; events from then on. Without it the newest `last`. */
  since?: string | undefined;
  last: number;
  /** Goes on for ever, looking once a second. */
  follow: boolean;
}

const EVENTS_PER_QUERY = 500;
const POLL_MS = 1000;
/** An event is written a moment before its transaction is committed: one that is a little older may still appear. */
const OVERLAP_SECONDS = 5;

/**
 * The events of the tenant in the order of their time, each once (licensing 6.14). When it follows, an event that was
 * committed late is given late, but given.
 */
export async function* tailEvents(
  ctx: Ctx,
  filter: EventFilter,
  options: TailOptions,
): AsyncGenerator<TimelineEvent> {
  const { since, last, follow } = options;
  const given = new Recent(since ?? '', since ?? ctx.now());
  // What is there already and older than the newest ones is not wanted.
  if (follow && since === undefined)
    for await (const event of allAfter(ctx, filter, given.from)) given.add(event);
  const past = since === undefined ? newest(ctx, filter, last) : allAfter(ctx, filter, since);
  for await (const event of past) {
    given.add(event);
    yield event;
  }
  while (follow) {
    await sleep(POLL_MS);
    for await (const event of allAfter(ctx, filter, given.from)) if (given.add(event)) yield event;
  }
}

/** The events of the last seconds that were given already. */
class Recent {
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
  add({ id, at }: TimelineEvent): boolean {
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

async function* newest(ctx: Ctx, filter: EventFilter, last: number): AsyncGenerator<TimelineEvent> {
  yield* await listNewestEvents(ctx, filter, last);
}

async function* allAfter(ctx: Ctx, filter: EventFilter, from: string): AsyncGenerator<TimelineEvent> {
  let cursor = { at: from, id: '' };
  for (;;) {
    const page = await listEventsAfter(ctx, filter, cursor, EVENTS_PER_QUERY);
    yield* page;
    const end = page.at(-1);
    if (page.length < EVENTS_PER_QUERY || end === undefined) return;
    cursor = { at: end.at, id: end.id };
  }
}
