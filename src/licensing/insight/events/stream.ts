import { addSeconds, systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Live } from '#kernel/http/live.ts';
import { OVERLAP_SECONDS, Recent } from '#kernel/outbox/tail.ts';
import { type Listener, listen, tailTimes } from './feed.ts';
import { type Place, Trail } from './place.ts';
import { eventRows } from './queries.ts';
import type { EventView } from './view.ts';

/** What a stream shows. */
export interface StreamAsked {
  /** Parameters of the list of events. */
  readonly filters: Readonly<Record<string, unknown>> & { readonly from?: string; readonly to?: string };
  /** Where an earlier stream ended; null for a new one. */
  readonly place: Place | null;
}

const ROWS_AT_ONCE = 100;
/** How long a browser waits before it connects again. */
const RETRY_MS = 2000;

/**
 * Events as they happen, as text/event-stream: those since `from` or since a place first, then what is committed, until
 * the client leaves, the server stops or the caller's rights end. It holds one chunk and ids that wait, no more.
 */
export async function* streamEvents(ctx: Ctx, live: Live, asked: StreamAsked): AsyncGenerator<Uint8Array> {
  const listener = listen(ctx);
  const rights = keepRights(ctx, live);
  const trail = new Trail();
  const chunk = (event: EventView): string => `id: ${trail.add(event)}\ndata: ${JSON.stringify(event)}\n\n`;
  const isKnown = (event: EventView): boolean => {
    const isSent = asked.place?.has(event.id) ?? false;
    if (isSent) trail.add(event);
    return isSent;
  };
  try {
    // From here on nothing is missed: what happens while the past is read waits.
    await listener.ready;
    const given = new Recent('', startOf(ctx, asked));
    for (const event of await justBefore(ctx, asked)) if (given.add(event)) trail.add(event);
    yield Buffer.from(`retry: ${RETRY_MS}\n: ${new URL(ctx.baseUrl).host}\n\n`);
    for await (const events of past(rights, asked)) {
      const news = events.filter((event) => given.add(event) && !isKnown(event));
      if (news.length > 0) yield Buffer.from(news.map(chunk).join(''));
    }
    const { to } = asked.filters;
    if (to !== undefined && ctx.now() >= addSeconds(to, OVERLAP_SECONDS)) return;
    for await (const events of present(rights, live, listener, asked)) {
      const news = events.filter((event) => given.add(event));
      if (news.length > 0) yield Buffer.from(news.map(chunk).join(''));
      else if (events.length === 0) yield Buffer.from(':\n\n');
    }
  } finally {
    listener.close();
  }
}

/** The ctx with the rights of the caller, read again every few seconds; null when there are none any more. */
type Rights = () => Promise<Ctx | null>;

function keepRights(ctx: Ctx, live: Live): Rights {
  const { checkMs } = ctx.memory.of(tailTimes);
  let current: Ctx | null = ctx;
  let checkedMs = systemClock.monotonicMs();
  return async () => {
    if (live.signal.aborted) return null;
    if (current !== null && systemClock.monotonicMs() - checkedMs >= checkMs) {
      current = await live.renew();
      checkedMs = systemClock.monotonicMs();
    }
    return current;
  };
}

/** From when on events are read before those that happen. */
function startOf(ctx: Ctx, { filters: { from }, place }: StreamAsked): string {
  const start = place === null ? from : place.from;
  return from !== undefined && start !== undefined && from > start ? from : (start ?? ctx.now());
}

/** What a stream that begins now leaves out: who comes back after its first event must not be told of it either. */
async function justBefore(ctx: Ctx, { filters, place }: StreamAsked): Promise<EventView[]> {
  if (filters.from !== undefined || place !== null) return [];
  const from = addSeconds(ctx.now(), -OVERLAP_SECONDS);
  const asked = { sort: '-at', filters: { ...filters, from }, cursor: null, limit: ROWS_AT_ONCE };
  return (await eventRows.after(ctx, asked)).items.reverse();
}

async function* past(rights: Rights, asked: StreamAsked): AsyncGenerator<EventView[]> {
  const { filters, place } = asked;
  if (filters.from === undefined && place === null) return;
  let cursor: string | null = null;
  do {
    const ctx = await rights();
    if (ctx === null) return;
    const from = startOf(ctx, asked);
    const page = await eventRows.after(ctx, {
      sort: 'at',
      filters: { ...filters, from },
      cursor,
      limit: ROWS_AT_ONCE,
    });
    yield page.items;
    cursor = page.next;
  } while (cursor !== null);
}

/** What happens; an empty list each time that the connection has to show that it lives. */
async function* present(
  rights: Rights,
  live: Live,
  listener: Listener,
  { filters }: StreamAsked,
): AsyncGenerator<EventView[]> {
  let sentMs = systemClock.monotonicMs();
  for (;;) {
    const ctx = await rights();
    // Who takes too little connects again and goes on from where it is.
    if (ctx === null || listener.isOverrun) return;
    const { checkMs, beatMs } = ctx.memory.of(tailTimes);
    const ids = listener.take(ROWS_AT_ONCE);
    const events = ids.length === 0 ? [] : await eventRows.of(ctx, ids, filters);
    if (events.length > 0 || systemClock.monotonicMs() - sentMs >= beatMs) {
      yield events;
      sentMs = systemClock.monotonicMs();
    }
    const beatInMs = Math.max(0, sentMs + beatMs - systemClock.monotonicMs());
    await listener.wait(Math.min(checkMs, beatInMs), live.signal);
  }
}
