// Uses that wait in the storage until they are sent (licensing.md 7.3).
import { randomText } from './bytes.ts';
import type { Core } from './core.ts';
import { errorOf, LicenseApiError } from './errors.ts';
import type { Json } from './json.ts';
import { isCount, isNull, isObject, isText, type JsonObject } from './shape.ts';
import type { Usage } from './types.ts';

/** The server keeps idempotency keys for 24 hours: later a repeat might count twice (D81). */
const REPEATABLE_MS = 23 * 3_600_000;

export type Metadata = Record<string, Json>;

/** A use with its idempotency key. */
export interface Use {
  id: string;
  feature: string;
  quantity: number;
  metadata?: Metadata | undefined;
}

/** A use that waits. */
interface Entry extends Use {
  /** When it was first sent, Unix milliseconds; null = never. */
  triedAt: number | null;
}

/** @param attempts in all; the options' when absent. Throws LicenseApiError, ClientError */
export type SendUse = (use: Use, attempts?: number) => Promise<{ recorded: boolean; usage: Usage }>;

export interface UsageQueue {
  /** Throws what the storage throws: an entry that is not kept would be lost. */
  queue(feature: string, quantity?: number, metadata?: Metadata): Promise<void>;
  /** @param attempts per entry */
  flush(attempts?: number): Promise<{ sent: number; left: number }>;
  /** Another license key is set: what waits belongs to nobody, and is told on `usage-uncertain`. */
  drop(): Promise<void>;
}

export function createUsageQueue(core: Core, send: SendUse): UsageQueue {
  /** Only one flush of this client at a time; others on the storage send with the same idempotency keys. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };
  return {
    async queue(feature, quantity = 1, metadata) {
      await core.ready();
      const entry: Entry = { id: randomText(16), feature, quantity, metadata, triedAt: null };
      return inTurn(() => change(core, (entries) => [...entries, entry]));
    },
    async flush(attempts) {
      await core.ready();
      return inTurn(() => flush(core, send, attempts));
    },
    drop: () =>
      inTurn(async () => {
        for (const entry of await read(core)) tellUncertain(core, entry);
        await core.store.remove('usage');
      }),
  };
}

/** What is damaged counts as nothing: one entry that nobody can send must not hold up the others for ever. */
const entriesIn = (stored: JsonObject | null): Entry[] =>
  Array.isArray(stored?.entries) ? (stored.entries.filter(isEntry) as unknown as Entry[]) : [];

const read = async ({ store }: Core): Promise<Entry[]> => entriesIn(await store.read('usage'));

/** In one step: another client on this storage may be adding and sending too. Throws what the storage throws. */
const change = ({ store }: Core, work: (entries: Entry[]) => readonly Entry[]): Promise<void> =>
  store.update('usage', (stored) => {
    const entries = work(entriesIn(stored));
    return entries.length === 0 ? null : { entries: entries as unknown as Json };
  });

const isEntry = (entry: Json): boolean =>
  isObject(entry) &&
  isText(entry.id) &&
  isText(entry.feature) &&
  isCount(entry.quantity) &&
  (isNull(entry.triedAt) || isCount(entry.triedAt));

const tellUncertain = ({ events }: Core, { feature, quantity }: Entry): void =>
  events.emit('usage-uncertain', { feature, quantity });

async function flush(
  core: Core,
  send: SendUse,
  attempts: number | undefined,
): Promise<{ sent: number; left: number }> {
  await dropStale(core);
  let sent = 0;
  const generation = core.identity.generation();
  for (const { id } of await read(core)) {
    // What was used under one license must not be counted on another one.
    if (core.identity.licenseKey() === null || generation !== core.identity.generation()) break;
    const entry = await markTried(core, id);
    if (entry === null) continue;
    const outcome = await sendOne(core, send, entry, attempts);
    if (outcome === 'left') break;
    if (outcome === 'sent') sent += 1;
    await change(core, (entries) => entries.filter((one) => one.id !== id));
  }
  return { sent, left: (await read(core)).length };
}

/**
 * Written before it is sent: after a crash nobody would know that it may have been counted.
 *
 * @returns null when another client has sent it meanwhile
 */
async function markTried(core: Core, id: string): Promise<Entry | null> {
  let marked: Entry | null = null;
  await change(core, (entries) => {
    marked = entries.find((entry) => entry.id === id) ?? null;
    if (marked) marked.triedAt ??= core.clock.now();
    return entries;
  });
  return marked;
}

/** What was tried so long ago that the server has forgotten its key may not be sent again. */
async function dropStale(core: Core): Promise<void> {
  const isStale = ({ triedAt }: Entry): boolean =>
    triedAt !== null && core.clock.now() - triedAt > REPEATABLE_MS;
  if (!(await read(core)).some(isStale)) return;
  let stale: Entry[] = [];
  await change(core, (entries) => {
    stale = entries.filter(isStale);
    return entries.filter((entry) => !isStale(entry));
  });
  for (const entry of stale) tellUncertain(core, entry);
}

/** `gone`: the server will never take it. Everything else that fails may pass later. */
async function sendOne(
  { events }: Core,
  send: SendUse,
  entry: Entry,
  attempts: number | undefined,
): Promise<'sent' | 'gone' | 'left'> {
  try {
    const { recorded } = await send(entry, attempts);
    return recorded ? 'sent' : 'gone';
  } catch (error) {
    events.emit('background-error', errorOf(error));
    return error instanceof LicenseApiError && error.code === 'VALIDATION_ERROR' ? 'gone' : 'left';
  }
}
