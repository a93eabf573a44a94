import type { Clock } from './clock.ts';
import { isoClock } from './clock.ts';
import type { Keyring } from './crypto.ts';
import type { Database, Db } from './db/database.ts';
import { newId } from './ids.ts';
import type { Log } from './log.ts';
import { NO_ORIGIN, type Origin } from './origin.ts';
import { insertEvents, insertOutbox, type OutboxRow } from './outbox/repository.ts';
import type { ProcessMemory } from './process-memory.ts';
import type { SettingsReader } from './settings.ts';
import type { ObjectStorage } from './storage/types.ts';

/** Who acts: printed in events and the audit log. */
export interface Actor {
  readonly kind: 'system' | 'cli' | 'api_key' | 'admin' | 'job' | 'portal';
  readonly id: string | null;
  readonly label: string | null;
  /** Ids that the actor is confined to, such as the products of an API key; what lies outside answers as unknown. */
  readonly confinedTo?: readonly string[] | null;
  /** Staff of the whole installation, not of one tenant. */
  readonly isInstanceWide?: true;
}

export const SYSTEM: Actor = { kind: 'system', id: null, label: null };

/** Something that happened to a subject; services narrow `type` and `data` to their own map of events. */
export interface DomainEvent {
  readonly type: string;
  readonly service: string;
  /** Id of the thing that it happened to. */
  readonly subject: string;
  readonly data: Record<string, unknown>;
  /** What only receivers are told, computed when there is one: a list that grows with its subject, for example. */
  readonly forReceivers?: (ctx: Ctx) => Promise<Record<string, unknown>>;
  /** What changed, for the timeline: `{field: [before, after]}`. */
  readonly diff?: Record<string, unknown>;
}

export interface StoredEvent extends DomainEvent {
  readonly id: string;
  readonly at: string;
  readonly tenantId: string;
}

/** Knows who is told of which events: webhooks, mails. */
export interface OutboxSource {
  /** Whether this process knows of anybody whom an event of the tenant could reach. From memory: it is asked often. */
  hasListeners(ctx: Ctx): boolean;
  /**
   * Finds the receivers of an event.
   *
   * @param version of the subscriptions as the transaction of the event sees them; null for one without a transaction
   * @returns what writes their rows, or null when nobody wants the event
   */
  receiversOf(ctx: Ctx, event: StoredEvent, version: number | null): Promise<WriteForReceivers | null>;
}

/**
 * Freezes what each receiver is sent, inside the transaction, and names the outbox rows that it needs.
 *
 * @param event with what only receivers are told
 */
export type WriteForReceivers = (ctx: Ctx, event: StoredEvent) => Promise<OutboxRow[]>;

/** What one process holds; every ctx is a view on it. */
export interface Runtime {
  /** Name of the installation, as its User-Agent tells it (`service_name`). */
  readonly serviceName: string;
  /** Address under which the world reaches this installation, without a slash at its end (`base_url`). */
  readonly baseUrl: string;
  /** Folder of the installation, for what must not depend on the database (`data_dir`). */
  readonly dataDir: string;
  readonly database: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly settings: SettingsReader;
  readonly log: Log;
  readonly outboxSources: readonly OutboxSource[];
  readonly memory: ProcessMemory;
  readonly storage: ObjectStorage;
  /** Largest bundle that is taken (`http.upload_limit`). */
  readonly uploadLimitBytes: number;
}

/** The one handle of a use case: the same for a request, a command, a job and a test. */
export interface Ctx {
  /** For repositories and queries only. */
  readonly db: Db;
  readonly keyring: Keyring;
  readonly settings: SettingsReader;
  readonly log: Log;
  readonly actor: Actor;
  readonly tenantId: string;
  readonly origin: Origin;
  readonly memory: ProcessMemory;
  /** Where the bytes of bundles are kept. It knows nothing of transactions: use it outside of them. */
  readonly storage: ObjectStorage;
  /** Largest bundle that is taken (`http.upload_limit`). */
  readonly uploadLimitBytes: number;
  /** Name of the installation (`service_name`). */
  readonly serviceName: string;
  /** Address under which the world reaches this installation, without a slash at its end (`base_url`). */
  readonly baseUrl: string;
  /** Folder of the installation, for what must not depend on the database (`data_dir`). */
  readonly dataDir: string;
  /** ISO 8601 UTC with milliseconds. Inside a transaction read it after the lock was obtained (C2). */
  now(): string;
  newId(prefix: string): string;
  /** The same handle for another actor, tenant or origin. */
  with(change: { actor?: Actor; tenantId?: string; origin?: Origin }): Ctx;
  /**
   * Runs `work` in one transaction and gives it a ctx bound to it; name that one `ctx` too, so that the outer
   * one cannot be used by mistake. Inside a transaction it joins.
   */
  tx<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
  /** Writes the event and its outbox rows; only inside a transaction. */
  emit(event: DomainEvent): Promise<void>;
  /** As `emit`, for many of them: their rows are written together. */
  emitAll(events: readonly DomainEvent[]): Promise<void>;
  /** Whether anybody could be told of an event at all: saves read-only calls the work of building one. */
  readonly hasListeners: boolean;
  /**
   * For high-volume notices of read-only calls: outbox rows when somebody listens, no events row. That they cannot be
   * written is logged and is no reason to refuse the call: it only reads.
   */
  announce(event: DomainEvent): Promise<void>;
  /** Runs after the outermost commit; its failure is logged and changes nothing. */
  afterCommit(work: () => void | Promise<void>): void;
}

type Queue = (() => void | Promise<void>)[];

interface Bound {
  readonly db: Db;
  readonly actor: Actor;
  readonly tenantId: string;
  readonly origin: Origin;
  /** Present inside a transaction. */
  readonly queue: Queue | null;
}

/** The ctx of a process, outside any transaction. */
export function createContext(runtime: Runtime, tenantId: string, actor: Actor = SYSTEM): Ctx {
  const bound = { db: runtime.database.db, actor, tenantId, origin: NO_ORIGIN, queue: null };
  return new BoundContext(runtime, bound, isoClock(runtime.clock));
}

class BoundContext implements Ctx {
  readonly #runtime: Runtime;
  readonly #bound: Bound;
  readonly #now: () => string;

  constructor(runtime: Runtime, bound: Bound, now: () => string) {
    this.#runtime = runtime;
    this.#bound = bound;
    this.#now = now;
  }

  get db(): Db {
    return this.#bound.db;
  }
  get keyring(): Keyring {
    return this.#runtime.keyring;
  }
  get settings(): SettingsReader {
    return this.#runtime.settings;
  }
  get log(): Log {
    return this.#runtime.log;
  }
  get actor(): Actor {
    return this.#bound.actor;
  }
  get tenantId(): string {
    return this.#bound.tenantId;
  }
  get origin(): Origin {
    return this.#bound.origin;
  }
  get memory(): ProcessMemory {
    return this.#runtime.memory;
  }
  get storage(): ObjectStorage {
    return this.#runtime.storage;
  }
  get uploadLimitBytes(): number {
    return this.#runtime.uploadLimitBytes;
  }
  get serviceName(): string {
    return this.#runtime.serviceName;
  }
  get baseUrl(): string {
    return this.#runtime.baseUrl;
  }
  get dataDir(): string {
    return this.#runtime.dataDir;
  }

  now(): string {
    return this.#now();
  }

  newId(prefix: string): string {
    return newId(prefix, this.#runtime.clock.epochMs());
  }

  with(change: { actor?: Actor; tenantId?: string; origin?: Origin }): Ctx {
    return new BoundContext(this.#runtime, { ...this.#bound, ...change }, this.#now);
  }

  async tx<T>(work: (ctx: Ctx) => Promise<T>): Promise<T> {
    if (this.#bound.queue) return work(this);
    let queue: Queue = [];
    const result = await this.#runtime.database.transaction((db) => {
      queue = []; // A repeated attempt (Postgres, 40001) starts without what the first one queued.
      return work(new BoundContext(this.#runtime, { ...this.#bound, db, queue }, this.#now));
    });
    for (const run of queue) await this.#runAfterCommit(run);
    return result;
  }

  async #runAfterCommit(run: Queue[number]): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.log.error({ err: error, requestId: this.origin.requestId }, 'after-commit work failed');
    }
  }

  emit(event: DomainEvent): Promise<void> {
    return this.emitAll([event]);
  }

  async emitAll(events: readonly DomainEvent[]): Promise<void> {
    if (!this.#bound.queue) throw new Error(`${events[0]?.type} must be emitted inside a transaction`);
    const stored = events.map((event) => this.#store(event));
    const version = await insertEvents(this, stored);
    for (const event of stored) {
      const writers = await this.#receiversOf(event, version);
      if (writers.length > 0) await writeRows(this, writers, await whole(this, event));
    }
  }

  get hasListeners(): boolean {
    return this.#runtime.outboxSources.some((source) => source.hasListeners(this));
  }

  async announce(event: DomainEvent): Promise<void> {
    const stored = this.#store(event);
    const writers = await this.#receiversOf(stored, null);
    if (writers.length === 0) return;
    try {
      const told = await whole(this, stored);
      await this.tx((ctx) => writeRows(ctx, writers, told));
    } catch (error) {
      // Inside a transaction, Postgres would refuse all that follows.
      if (this.#bound.queue) throw error;
      this.log.error({ err: error, event: event.type }, 'receivers were not told of a read-only call');
    }
  }

  afterCommit(work: () => void | Promise<void>): void {
    if (!this.#bound.queue) throw new Error('afterCommit belongs inside a transaction');
    this.#bound.queue.push(work);
  }

  #store(event: DomainEvent): StoredEvent {
    return { ...event, id: this.newId('evt'), at: this.now(), tenantId: this.tenantId };
  }

  async #receiversOf(event: StoredEvent, version: number | null): Promise<WriteForReceivers[]> {
    const writers: WriteForReceivers[] = [];
    for (const source of this.#runtime.outboxSources) {
      const write = await source.receiversOf(this, event, version);
      if (write) writers.push(write);
    }
    return writers;
  }
}

/** The event with what only receivers are told; asked for when there is one. */
const whole = async (ctx: Ctx, event: StoredEvent): Promise<StoredEvent> => ({
  ...event,
  data: { ...event.data, ...(await event.forReceivers?.(ctx)) },
});

async function writeRows(ctx: Ctx, writers: readonly WriteForReceivers[], event: StoredEvent): Promise<void> {
  for (const write of writers) await insertOutbox(ctx, await write(ctx, event));
}
