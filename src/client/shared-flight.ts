import { aborted, unlessAborted } from './timers.ts';

interface Flight<T> {
  result: Promise<T>;
  waiting: number;
  give: AbortController;
}

/** Work that callers share. */
export interface Flights<T> {
  /** Joins the work under way, or begins it; the signal makes only this caller leave. */
  join(signal?: AbortSignal): Promise<T>;
  /** Who comes from now on gets work that begins from now on. */
  part(): void;
}

/**
 * Callers at the same time share one piece of work; it is given up when the last of them has gone.
 *
 * @param start begins the work; its signal says when nobody waits any more
 */
export function shareFlights<T>(start: (signal: AbortSignal) => Promise<T>): Flights<T> {
  let flight: Flight<T> | null = null;
  const begin = (): Flight<T> => {
    const give = new AbortController();
    const begun: Flight<T> = { result: start(give.signal), waiting: 0, give };
    const land = (): void => {
      if (flight === begun) flight = null;
    };
    begun.result.then(land, land);
    return begun;
  };
  return {
    part: () => void (flight = null),
    async join(signal) {
      if (signal?.aborted) throw aborted();
      const mine = (flight ??= begin());
      mine.waiting += 1;
      try {
        return await unlessAborted(mine.result, signal);
      } finally {
        mine.waiting -= 1;
        if (mine.waiting === 0) {
          if (flight === mine) flight = null;
          mine.give.abort();
        }
      }
    },
  };
}
