import { SYSTEM } from '#kernel/actor.ts';
import { sleep } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { Recent } from '#kernel/outbox/tail.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { idsSince } from './queries.ts';

/** How often a live tail does something, in milliseconds. A test shortens them in the memory of its process. */
export const tailTimes = memoryKey('event-tail-times', () => ({
  /** The database is asked for new events: they are shown within a second. */
  pollMs: 500,
  /** Its caller's rights are read again: it ends within five seconds. */
  checkMs: 3000,
  /** A comment is sent, so that nothing in between takes it for dead. */
  beatMs: 15_000,
}));

/** Who is told of new events. */
export interface Listener {
  /** Resolves when it is told of everything that is committed from then on. Rejects as the database does. */
  readonly ready: Promise<void>;
  /** More waited than is kept for it: it takes too little. */
  readonly isOverrun: boolean;
  /** Ids that wait, the oldest first. */
  take(most: number): string[];
  /** Resolves when something waits, after a time, or when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** New events of one tenant: all who listen share one look at the database, which begins and ends with them. */
interface Feed {
  readonly told: Set<(ids: readonly string[]) => void>;
  readonly ready: Promise<void>;
}

const feeds = memoryKey('event-feeds', () => new Map<string, Feed>());

/** Ids that wait for one listener: some hundred kilobytes. */
const MOST_WAITING = 5000;

/** Listens to the events of the ctx's tenant, those of other processes too. The caller closes it. */
export function listen(ctx: Ctx): Listener {
  const all = ctx.memory.of(feeds);
  const feed = all.get(ctx.tenantId) ?? open(ctx, all);
  let waiting: string[] = [];
  let isOverrun = false;
  let wake = (): void => undefined;
  const tell = (ids: readonly string[]): void => {
    isOverrun ||= waiting.length + ids.length > MOST_WAITING;
    waiting = isOverrun ? [] : [...waiting, ...ids];
    wake();
  };
  feed.told.add(tell);
  return {
    ready: feed.ready,
    get isOverrun() {
      return isOverrun;
    },
    take: (most) => waiting.splice(0, most),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => wake(), ms);
        wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          wake = () => undefined;
          resolve();
        };
        signal.addEventListener('abort', wake);
        if (waiting.length > 0 || isOverrun || signal.aborted) wake();
      }),
    close: () => void feed.told.delete(tell),
  };
}

function open(request: Ctx, all: Map<string, Feed>): Feed {
  const ctx = request.with({ actor: SYSTEM });
  const given = new Recent('', ctx.now());
  const look = async (): Promise<string[]> =>
    (await idsSince(ctx, given.from)).filter((event) => given.add(event)).map(({ id }) => id);
  // What is there already is not new.
  const feed: Feed = { told: new Set(), ready: look().then(() => undefined) };
  all.set(ctx.tenantId, feed);
  void follow(ctx, feed, look).finally(() => all.delete(ctx.tenantId));
  return feed;
}

async function follow(ctx: Ctx, { told, ready }: Feed, look: () => Promise<string[]>): Promise<void> {
  const { pollMs } = ctx.memory.of(tailTimes);
  try {
    await ready;
  } catch {
    // Whoever listens waits for the same promise, and answers with what it says.
    return;
  }
  while (told.size > 0) {
    await sleep(pollMs);
    try {
      const ids = told.size > 0 ? await look() : [];
      if (ids.length > 0) for (const tell of told) tell(ids);
    } catch (error) {
      ctx.log.warn({ err: error }, 'new events could not be read; live tails wait');
    }
  }
}
