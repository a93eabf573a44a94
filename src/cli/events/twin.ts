import type { Timeline } from '#kernel/outbox/tail.ts';
import type { EventView } from '#licensing/insight/events/view.ts';
import { type Desk, type Query, timeAt } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';
import { streamOf } from './live.ts';

const MOST_AT_ONCE = 500;

const twins = twinsOf(async () => [(await import('#licensing/insight/events/resource.ts')).eventResource]);

/** Opens the desk of a command about events. Throws as withDesk does. */
export const withEvents = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/**
 * The timeline at a desk: a server streams it, here one has to look.
 *
 * @param filter parameters of the list; @param note tells the reader that the server is away, and that it is back
 */
export const timelineAt = (desk: Desk, filter: Query, note: (text: string) => void): Timeline<EventView> => ({
  ...(desk.local === null && { live: liveOf(desk, filter, note) }),
  now: () => timeAt(desk),
  async newest(limit) {
    const found: EventView[] = [];
    if (limit === 0) return found;
    for await (const event of pages(desk, { ...filter, sort: '-at' }, Math.min(limit, MOST_AT_ONCE))) {
      found.push(event);
      if (found.length === limit) break;
    }
    return found.reverse();
  },
  since: (from) => pages(desk, { ...filter, sort: 'at', from }, MOST_AT_ONCE),
});

async function* pages(desk: Desk, query: Query, limit: number): AsyncGenerator<EventView> {
  let cursor: string | undefined;
  do {
    const page: Log = await desk.get<Log>('events', { ...query, limit, cursor });
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

interface Log {
  readonly items: readonly EventView[];
  readonly nextCursor: string | null;
}

const liveOf = (
  desk: Desk,
  filter: Query,
  note: (text: string) => void,
): ((from: string) => AsyncIterable<EventView>) => {
  const stream = streamOf(desk, note);
  return (from) => stream({ ...filter, from });
};
