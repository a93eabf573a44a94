import { randomText } from './bytes.ts';
import { ClientError } from './errors.ts';
import type { ClientStorage } from './option-types.ts';
import { startTimer } from './timers.ts';

/** How long a claim must go unchallenged. Browsers show the writes of one tab to the others well within it. */
const SETTLED_MS = 50;
/** A claim that has not changed for so long belongs to a tab that was closed. */
const ABANDONED_MS = 2_000;
const LONGEST_WAIT_MS = 15_000;

/**
 * Keeps values in the `localStorage` of a page's origin, for all of its tabs together. Where the browser keeps no data
 * for the page, or no more, each call rejects with ClientError STORAGE.
 *
 * @param prefix of the keys, for pages of several applications on one origin
 */
export function localStorageStorage(prefix = ''): ClientStorage {
  const put = (key: string, value: string | null): void =>
    told(() => (value === null ? area().removeItem(prefix + key) : area().setItem(prefix + key, value)));
  const read = (key: string): string | null => told(() => area().getItem(prefix + key));
  return {
    get: async (key) => read(key),
    set: async (key, value) => put(key, value),
    delete: async (key) => put(key, null),
    update: (key, change) =>
      alone(`${prefix}appctl.lock`, () => {
        const value = change(read(key));
        put(key, value);
        return value;
      }),
  };
}

/** Even to look at it is refused where cookies are blocked. */
function area(): Storage {
  const found = globalThis.localStorage as Storage | undefined;
  if (!found) throw new ClientError('STORAGE', 'this platform has no localStorage: pass another storage');
  return found;
}

function told<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof ClientError) throw cause;
    const isFull = (cause as Error | null)?.name === 'QuotaExceededError';
    const message = isFull
      ? 'the localStorage of this page is full'
      : 'this browser keeps no data for this page: allow it site data, or leave the private window';
    throw new ClientError('STORAGE', message, cause);
  }
}

/** Runs what must not happen in two tabs at once. */
async function alone<T>(name: string, work: () => T): Promise<T> {
  // Absent in old browsers, and on pages that came neither over https nor from this machine.
  const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {};
  if (locks === undefined) return claimed(name, work);
  return locks.request(name, async () => work());
}

/** `LockManager` of the platform, as far as it is used. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Who still finds its own claim after a while is alone: everybody else has seen it, or overwritten it. */
async function claimed<T>(name: string, work: () => T): Promise<T> {
  const mine = randomText(9);
  let seen: string | null = null;
  let unchangedMs = 0;
  for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS; waitedMs += SETTLED_MS) {
    const held = told(() => area().getItem(name));
    if (held === mine) return releasing(name, work);
    unchangedMs = held === seen ? unchangedMs + SETTLED_MS : 0;
    seen = held;
    if (held === null || unchangedMs >= ABANDONED_MS) told(() => area().setItem(name, mine));
    await new Promise<void>((resolve) => startTimer(SETTLED_MS, false, resolve));
  }
  throw new ClientError('STORAGE', 'other tabs of this page keep its localStorage busy');
}

function releasing<T>(name: string, work: () => T): T {
  try {
    return work();
  } finally {
    told(() => area().removeItem(name));
  }
}
