import type { Timeline } from '#kernel/outbox/tail.ts';
import type { EventView } from '#licensing/insight/events/view.ts';
import { type Desk, type Download, type Query, timeAt } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

const MOST_AT_ONCE = 500;

const twins = twinsOf(async () => [(await import('#licensing/insight/events/resource.ts')).eventResource]);

/** Opens the desk of a command about events. Throws as withDesk does. */
export const withEvents = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** The timeline at a desk: a server streams it, here one has to look. @param filter parameters of the list */
export const timelineAt = (desk: Desk, filter: Query): Timeline<EventView> => ({
  ...(desk.local === null && { live: (from: string) => streamed(desk, { ...filter, from }) }),
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

/** Events of a server until its stream ends: whoever follows asks again, and is refused where it may not any more. */
async function* streamed(desk: Desk, query: Query): AsyncGenerator<EventView> {
  const opened = Promise.withResolvers<Download>();
  const read = Promise.withResolvers<void>();
  const receiving = desk.download('events/stream', query, (content) => {
    opened.resolve(content);
    return read.promise;
  });
  receiving.catch(opened.reject);
  const { chunks } = await opened.promise;
  try {
    yield* eventsIn(chunks);
  } finally {
    read.resolve();
    // A line that broke off is asked for again, and then says what is wrong.
    await receiving.catch(() => undefined);
  }
}

/** Reads server-sent events; a connection that breaks off ends them. */
async function* eventsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventView> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of chunks) {
      const messages = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data !== undefined) yield JSON.parse(data) as EventView;
      }
    }
  } catch (error) {
    if (!isBroken(error)) throw error;
  }
}

const isBroken = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(String(error.code));
