import { type Actor, SYSTEM } from './actor.ts';
import { isAudited } from './audit.ts';
import { isoClock } from './clock.ts';
import type {
  AuditEntry,
  Ctx,
  DomainEvent,
  EventBody,
  Runtime,
  StoredEvent,
  WriteForReceivers,
} from './context.ts';
import type { Keyring } from './crypto.ts';
import { type Db, inSavepoint } from './db/database.ts';
import { type Extension, filledIn } from './extension.ts';
import { type Asked, Detour, type Hooks, repeated } from './hooks/hooks.ts';
import type { Allowed, Payload } from './hooks/point.ts';
import { newId } from './ids.ts';
import type { Log } from './log.ts';
import { NO_ORIGIN, type Origin } from './origin.ts';
import { insertEvents, insertOutbox } from './outbox/repository.ts';
import type { ProcessMemory } from './process-memory.ts';
import type { SettingsReader } from './settings-reader.ts';
import type { ObjectStorage } from './storage/types.ts';

type Queue = (() => void | Promise<void>)[];

interface Bound {
  readonly db: Db;
  readonly actor: Actor;
  readonly tenantId: string;
  readonly origin: Origin;
  readonly transaction: Transaction | null;
}

/** What one attempt at a transaction remembers until its end. */
interface Transaction {
  /** Runs after the commit. */
  readonly queue: Queue;
  /** Written before it. */
  readonly audited: AuditEntry[];
  /** Before-hooks that were asked outside of it. */
  readonly asked: Asked;
}

/** The ctx of a process, outside any transaction. */
export function createContext(runtime: Runtime, tenantId: string, actor: Actor = SYSTEM): Ctx {
  const bound = { db: runtime.database.db, actor, tenantId, origin: NO_ORIGIN, transaction: null };
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

  get media(): ObjectStorage {
    return this.#runtime.media;
  }

  get imageLimitBytes(): number {
    return this.#runtime.imageLimitBytes;
  }
  get mode(): Runtime['mode'] {
    return this.#runtime.mode;
  }
  get documentFont(): string | undefined {
    return this.#runtime.documentFont;
  }
  get processorUrls(): ReadonlyMap<string, string> {
    return this.#runtime.processorUrls;
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

  with(change: { actor?: Actor; tenantId?: string; origin?: Origin; db?: Db }): Ctx {
    return new BoundContext(this.#runtime, { ...this.#bound, ...change }, this.#now);
  }

  async tx<T>(work: (ctx: Ctx) => Promise<T>): Promise<T> {
    if (this.#bound.transaction) return work(this);
    return repeated((asked) => this.#attempt(work, asked));
  }

  async #attempt<T>(work: (ctx: Ctx) => Promise<T>, asked: Asked): Promise<T> {
    let queue: Queue = [];
    const result = await this.#runtime.database.transaction(async (db) => {
      // A repeated attempt (Postgres, 40001) starts without what the first one queued.
      const transaction: Transaction = { queue: [], audited: [], asked };
      queue = transaction.queue;
      const ctx = new BoundContext(this.#runtime, { ...this.#bound, db, transaction }, this.#now);
      const value = await work(ctx);
      if (transaction.audited.length > 0) await this.#runtime.auditor.write(ctx, transaction.audited);
      return value;
    });
    for (const run of queue) await this.#runAfterCommit(run);
    return result;
  }

  async part<T>(work: (ctx: Ctx) => Promise<T>): Promise<T> {
    const { transaction } = this.#bound;
    if (!transaction) throw new Error('a part belongs inside a transaction');
    const own: Transaction = { queue: [], audited: [], asked: transaction.asked };
    const ctx = new BoundContext(this.#runtime, { ...this.#bound, transaction: own }, this.#now);
    const value = await inSavepoint(this.#bound.db, () => work(ctx));
    transaction.queue.push(...own.queue);
    transaction.audited.push(...own.audited);
    return value;
  }

  filled<T>(place: Extension<T>): Promise<readonly T[]> {
    return filledIn(this.#runtime.fillings, place, this);
  }

  async #runAfterCommit(run: Queue[number]): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.log.error({ err: error, requestId: this.origin.requestId }, 'after-commit work failed');
    }
  }

  get hooks(): Hooks {
    return this.#runtime.hooks;
  }

  async before(
    point: string,
    subject: string,
    payload: () => Payload | Promise<Payload>,
    allowed: () => Allowed = () => ({}),
  ): Promise<Payload | null> {
    const { hooks } = this;
    if (hooks.isIdle(`before:${point}`)) return null;
    const key = `${point} ${subject}`;
    const { transaction } = this.#bound;
    const answer = transaction?.asked.get(key);
    if (answer !== undefined) return answer;
    const given = await payload();
    const run = async () =>
      (await import('./hooks/before.ts')).runBefore(this, hooks, point, given, allowed());
    if (transaction) throw new Detour(key, run);
    return run();
  }

  emit(event: DomainEvent): Promise<void> {
    return this.emitAll([event]);
  }

  async emitAll(events: readonly DomainEvent[]): Promise<void> {
    const { transaction } = this.#bound;
    if (!transaction) throw new Error(`${events[0]?.type} must be emitted inside a transaction`);
    const stored = events.map((event) => this.#audited(this.#store(event), transaction));
    const kept = stored.filter(({ told }) => told === undefined);
    const version = kept.length > 0 ? await insertEvents(this, kept) : null;
    for (const event of kept) {
      const writers = await this.#receiversOf(event, version);
      if (writers.length > 0) await writeRows(this, writers, await whole(this, event));
    }
    for (const event of stored) await this.#runSubscribers(event);
  }

  async #runSubscribers(event: StoredEvent): Promise<void> {
    for (const subscriber of this.#runtime.subscriptions.get(event.type) ?? [])
      if (subscriber.service === event.service) await subscriber.run(this, event);
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
      if (this.#bound.transaction) throw error;
      this.log.error({ err: error, event: event.type }, 'receivers were not notified of a read-only call');
    }
  }

  afterCommit(work: () => void | Promise<void>): void {
    if (!this.#bound.transaction) throw new Error('afterCommit belongs inside a transaction');
    this.#bound.transaction.queue.push(work);
  }

  #store(event: EventBody): StoredEvent {
    return { ...event, id: this.newId('evt'), at: this.now(), tenantId: this.tenantId };
  }

  /** The event with the id of its row in the audit log, when it has one. */
  #audited(stored: StoredEvent, { audited }: Transaction): StoredEvent {
    const { actor, origin } = this.#bound;
    if (!isAudited(stored, actor)) return stored;
    const event = { ...stored, auditId: this.newId('aud') };
    audited.push({ id: event.auditId, event, actor, origin });
    return event;
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
