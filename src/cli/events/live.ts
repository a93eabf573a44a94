import { sleep, systemClock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { EventView } from '#licensing/insight/events/view.ts';
import type { Desk, Download, Query } from '../desk/desk.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';

/** How long a server may be away: a restart with a migration takes less. */
const AWAY_SECONDS = 60;
const RETRY_MS = 1000;

/** A stream that is open, and what lets go of it. */
interface Opened {
  readonly chunks: Download['chunks'];
  close(): Promise<void>;
}

/**
 * Streams events of a server, again and again: each stream goes on after the last event of the one before.
 *
 * @param note tells the reader that the server is away, and that it is back
 * @returns events from the `from` of the query on, until the stream ends. Throws what the server refuses it with, and
 *   CliError 9 when it stays away for a minute
 */
export function streamOf(
  desk: Desk,
  note: (text: string) => void,
): (query: Query) => AsyncGenerator<EventView> {
  let place: string | null = null;
  return async function* (query) {
    const { chunks, close } = await waitFor(() => open(desk, query, place), note);
    try {
      for await (const message of messagesIn(chunks)) {
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data === undefined) continue;
        place = /^id: (.*)$/m.exec(message)?.[1] ?? place;
        yield JSON.parse(data) as EventView;
      }
    } finally {
      await close();
    }
  };
}

async function open(desk: Desk, query: Query, place: string | null): Promise<Opened> {
  const opened = Promise.withResolvers<Download>();
  const read = Promise.withResolvers<void>();
  const take = (content: Download): Promise<void> => {
    opened.resolve(content);
    return read.promise;
  };
  const headers = place === null ? {} : { 'Last-Event-ID': place };
  const receiving = desk.download('events/stream', query, take, headers);
  receiving.catch(opened.reject);
  const { chunks } = await opened.promise;
  return {
    chunks,
    async close() {
      read.resolve();
      // A line that broke off is asked for again, and then says what is wrong.
      await receiving.catch(() => undefined);
    },
  };
}

/** Repeats what a server that restarts cannot answer. */
async function waitFor<T>(work: () => Promise<T>, note: (text: string) => void): Promise<T> {
  const sinceMs = systemClock.monotonicMs();
  for (let isNoted = false; ; isNoted = true) {
    try {
      const done = await work();
      if (isNoted) note('the server answers again');
      return done;
    } catch (error) {
      if (!isAway(error) || systemClock.monotonicMs() - sinceMs >= AWAY_SECONDS * 1000) throw error;
      if (!isNoted) note(`the server does not answer; retrying for ${AWAY_SECONDS} seconds`);
      await sleep(RETRY_MS);
    }
  }
}

/** No answer, or that of a server which starts, stops or is behind a proxy. */
const isAway = (error: unknown): boolean =>
  error instanceof CliError
    ? error.exit === exits.unreachable
    : error instanceof AppError && error.status === 503;

/** Messages of server-sent events; a connection that breaks off ends them. */
async function* messagesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of chunks) {
      const messages = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = messages.pop() ?? '';
      yield* messages;
    }
  } catch (error) {
    if (!isBroken(error)) throw error;
  }
}

const isBroken = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(String(error.code));
