// Uses that wait in the storage until they are sent (licensing.md 7.3).
import { randomText } from './bytes.ts';
import type { Core } from './core.ts';
import { errorOf, LicenseApiError } from './errors.ts';
import type { Json } from './json.ts';
import { isCount, isNull, isObject, isText } from './shape.ts';
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
  /** Work on the queue is done one after the other: each reads, changes and writes the whole of it. */
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
      return inTurn(async () => write(core, [...(await read(core)), entry]));
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
async function read({ store }: Core): Promise<Entry[]> {
  const entries = (await store.read('usage'))?.entries;
  return Array.isArray(entries) ? (entries.filter(isEntry) as unknown as Entry[]) : [];
}

const isEntry = (entry: Json): boolean =>
  isObject(entry) &&
  isText(entry.id) &&
  isText(entry.feature) &&
  isCount(entry.quantity) &&
  (isNull(entry.triedAt) || isCount(entry.triedAt));

const write = ({ store }: Core, entries: readonly Entry[]): Promise<void> =>
  entries.length === 0 ? store.remove('usage') : store.save('usage', { entries: entries as unknown as Json });

const tellUncertain = ({ events }: Core, { feature, quantity }: Entry): void =>
  events.emit('usage-uncertain', { feature, quantity });

async function flush(
  core: Core,
  send: SendUse,
  attempts: number | undefined,
): Promise<{ sent: number; left: number }> {
  let entries = await withoutStale(core);
  let sent = 0;
  const generation = core.identity.generation();
  for (const entry of [...entries]) {
    // What was used under one license must not be counted on another one.
    if (core.identity.licenseKey() === null || generation !== core.identity.generation()) break;
    // Written before it is sent: after a crash nobody would know that it may have been counted.
    entry.triedAt ??= core.clock.now();
    await write(core, entries);
    const outcome = await sendOne(core, send, entry, attempts);
    if (outcome === 'left') break;
    if (outcome === 'sent') sent += 1;
    entries = entries.filter(({ id }) => id !== entry.id);
    await write(core, entries);
  }
  return { sent, left: entries.length };
}

/** What was tried so long ago that the server has forgotten its key may not be sent again. */
async function withoutStale(core: Core): Promise<Entry[]> {
  const entries = await read(core);
  const isStale = ({ triedAt }: Entry): boolean =>
    triedAt !== null && core.clock.now() - triedAt > REPEATABLE_MS;
  const stale = entries.filter(isStale);
  if (stale.length === 0) return entries;
  const kept = entries.filter((entry) => !isStale(entry));
  await write(core, kept);
  for (const entry of stale) tellUncertain(core, entry);
  return kept;
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
