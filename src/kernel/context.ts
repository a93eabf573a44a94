import type { Actor } from './actor.ts';
import type { AuditTarget } from './audit.ts';
import type { Clock } from './clock.ts';
import type { Keyring } from './crypto.ts';
import type { Database, Db } from './db/database.ts';
import type { Extension, Fillings } from './extension.ts';
import type { Hooks } from './hooks/hooks.ts';
import type { Allowed, Payload } from './hooks/point.ts';
import type { Log } from './log.ts';
import type { Origin } from './origin.ts';
import type { OutboxRow } from './outbox/row.ts';
import type { ProcessMemory } from './process-memory.ts';
import type { SettingsReader } from './settings-reader.ts';
import type { ObjectStorage } from './storage/types.ts';

/** What an event says of something that happened to a subject. */
export interface EventBody {
  readonly type: string;
  readonly service: string;
  /** Id of the thing that it happened to. */
  readonly subject: string;
  readonly data: Record<string, unknown>;
  /** What only receivers are told, computed when there is one: a list that grows with its subject, for example. */
  readonly forReceivers?: (ctx: Ctx) => Promise<Record<string, unknown>>;
  /** What changed, for the timeline: `{field: [before, after]}`. */
  readonly diff?: Record<string, unknown>;
  /** What it happened to, beyond its id. */
  readonly target?: AuditTarget;
  /** The object as it was and as it is, for the audit log; null where there was or is none. */
  readonly before?: object | null;
  readonly after?: object | null;
  /** The reason that whoever made the change gave, for the audit log. */
  readonly note?: string | null;
  /** Tells of a change of which another event of the transaction tells too: one row of the audit log is for both. */
  readonly isPart?: true;
  /** The audit log has a row of it, whoever causes it: a customer too. */
  readonly isAudited?: true;
  /** Who is told instead of everybody: the audit log, or subscribers alone. */
  readonly told?: 'audit' | 'subscribers';
}

declare const declared: unique symbol;

/** An event that somebody declared: `defineEvents` makes it, so that no other name and no other data compile. */
export interface DomainEvent extends EventBody {
  readonly [declared]: true;
}

export interface StoredEvent extends EventBody {
  readonly id: string;
  readonly at: string;
  readonly tenantId: string;
  /** Of its row in the audit log. */
  readonly auditId?: string;
}

/** Who is told of one event, inside its transaction and after its rows: what it throws rolls all of it back. */
export interface Subscriber {
  readonly service: string;
  readonly type: string;
  readonly run: (ctx: Ctx, event: StoredEvent) => Promise<unknown>;
}

/** Subscribers by the name of their event, in the order of the capabilities. */
export type Subscriptions = ReadonlyMap<string, readonly Subscriber[]>;

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

/** One change, as the transaction that makes it remembers it until its end. */
export interface AuditEntry {
  readonly id: string;
  readonly event: StoredEvent;
  readonly actor: Actor;
  readonly origin: Origin;
}

/** Writes the audit log. */
export interface Auditor {
  /**
   * Writes the rows of one transaction, as its last statements: the end of the log is a queue, in which nobody waits
   * longer than a commit takes.
   *
   * @param entries in the order in which they happened; at least one
   */
  write(ctx: Ctx, entries: readonly AuditEntry[]): Promise<void>;
}

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
  readonly subscriptions: Subscriptions;
  readonly fillings: Fillings;
  readonly auditor: Auditor;
  readonly hooks: Hooks;
  readonly memory: ProcessMemory;
  readonly storage: ObjectStorage;
  /** Where the bytes of pictures are kept; as `storage`. */
  readonly media: ObjectStorage;
  /** Largest bundle that is taken (`http.upload_limit`). */
  readonly uploadLimitBytes: number;
  /** Largest picture that is taken (`http.image_limit`). */
  readonly imageLimitBytes: number;
  readonly mode: 'production' | 'development';
  /** Font file of documents for letters that the built-in one does not have (`documents.font_file`). */
  readonly documentFont?: string | undefined;
  /** Addresses in place of the APIs of payment processors (`processors.<id>.url`), by the id of the processor. */
  readonly processorUrls: ReadonlyMap<string, string>;
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
  /** Where the bytes of pictures are kept; as `storage`. */
  readonly media: ObjectStorage;
  /** Largest bundle that is taken (`http.upload_limit`). */
  readonly uploadLimitBytes: number;
  /** Largest picture that is taken (`http.image_limit`). */
  readonly imageLimitBytes: number;
  readonly mode: 'production' | 'development';
  /** Font file of documents for letters that the built-in one does not have (`documents.font_file`). */
  readonly documentFont: string | undefined;
  /** Addresses in place of the APIs of payment processors (`processors.<id>.url`), by the id of the processor. */
  readonly processorUrls: ReadonlyMap<string, string>;
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
  with(change: { actor?: Actor; tenantId?: string; origin?: Origin; db?: Db }): Ctx;
  /**
   * Runs `work` in one transaction and gives it a ctx bound to it; name that one `ctx` too, so that the outer
   * one cannot be used by mistake. Inside a transaction it joins.
   */
  tx<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
  /**
   * Runs a part of a transaction so that its failure takes back only what that part wrote, queued and told; the rest of
   * the transaction goes on. Only inside a transaction.
   *
   * @throws what `work` throws
   */
  part<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
  /** What parts of the program above this one have put into a place that it leaves open. */
  filled<T>(place: Extension<T>): Promise<readonly T[]>;
  /** Files of the operator that may change or refuse what is about to be done. */
  readonly hooks: Hooks;
  /**
   * Runs the before-hooks of a point, at the top of a use case: always outside of any transaction. Inside one it is rolled
   * back, and repeated once they have run (decision 0086).
   *
   * @param subject id of what it is about; a repeated transaction asks once for each
   * @param payload made only when a file subscribes; JSON, of which a hook gets a copy
   * @param allowed what they may change of it; nothing when absent
   * @returns the fields that they have changed; null when they changed nothing, or none subscribes
   * @throws AppError VALIDATION_ERROR, reason HOOK_REJECTED, with the message of a hook that refuses; HookFailed
   */
  before(
    point: string,
    subject: string,
    payload: () => Payload | Promise<Payload>,
    allowed?: () => Allowed,
  ): Promise<Payload | null>;
  /**
   * Writes the event and its outbox rows, then runs its subscribers; only inside a transaction.
   *
   * @throws what a subscriber throws, which rolls all of it back
   */
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
