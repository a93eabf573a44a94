import type { Knex } from 'knex';
import type { Compiled } from './compiled.ts';

export type { Knex };

export type DialectName = 'sqlite' | 'postgres';

/** What a repository sees: the pool outside a transaction, the transaction's connection inside one. */
export interface Db {
  readonly dialect: DialectName;
  /** A transaction of this database excludes every other writer, so that rows need not be locked one by one. */
  readonly holdsWriteLock: boolean;
  /** Builder for lists, screens and migrations; request paths use compiled statements. */
  readonly knex: Knex;
  first<R>(statement: Compiled, values: unknown[]): R | undefined | Promise<R | undefined>;
  all<R>(statement: Compiled, values: unknown[]): R[] | Promise<R[]>;
  run(statement: Compiled, values: unknown[]): number | Promise<number>;
  /** Takes back only what `work` wrote when it throws; absent outside of transactions. */
  savepoint?<T>(work: () => Promise<T>): Promise<T>;
  /** Reads of one long stream, where they would otherwise push out of memory what all others read. */
  aside?(): Aside;
}

/** A connection that somebody has alone until `end`. */
export interface Aside {
  readonly db: Db;
  end(): void;
}

/** One database, opened. */
export interface Database {
  readonly dialect: DialectName;
  /** The address without its password: for logs, `setup` and `status`. */
  readonly displayUrl: string;
  /** Reads outside a transaction. On SQLite this connection cannot write. */
  readonly db: Db;
  /**
   * Runs `work` in one writing transaction and resolves after it is durable.
   * A throw rolls back what `work` wrote, and nothing else.
   */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Reads of one moment: what others write meanwhile is not seen, however long it takes. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs `work` while no transaction of this process is open; none begins before it has ended. Only SQLite has one
   * writer for which that means something.
   */
  betweenCommits?<T>(work: () => Promise<T>): Promise<T>;
  /** Throws when the database does not answer, and after a failed write until one succeeds again. */
  ping(): Promise<void>;
  /** Writes what changes nothing. Throws what keeps the database from taking it: `faultOf` tells it in words. */
  probeWrite(): Promise<void>;
  /** Version text of the database program. */
  version(): Promise<string>;
  close(): Promise<void>;
}

/** The database cannot be reached or opened: exit 9, health 503. */
export class DatabaseUnavailable extends Error {
  /** What to run. */
  readonly hint: string;

  constructor(message: string, { cause, hint }: { cause?: unknown; hint?: string } = {}) {
    super(message, { cause });
    this.name = 'DatabaseUnavailable';
    this.hint = hint ?? 'appctl config check --connect tests the address';
  }
}

/**
 * Others had all connections to the database for as long as somebody may wait for one. The database works: whoever comes
 * again soon may get one.
 */
export class NoTurn extends Error {
  readonly code = 'ETIMEDOUT';
  /** Most of those who have a connection need it for less than a second. */
  static readonly RETRY_AFTER_SECONDS = 1;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'NoTurn';
  }
}

/** Thrown when a transaction's handle is used after its transaction has ended: an `await` was forgotten. */
export class TransactionEnded extends Error {
  constructor() {
    super('this handle belongs to a transaction that has ended');
    this.name = 'TransactionEnded';
  }
}

/** Runs a part of a transaction, whose failure takes back only what it wrote. @throws what `work` throws */
export function inSavepoint<T>(db: Db, work: () => Promise<T>): Promise<T> {
  if (!db.savepoint) throw new Error('a part belongs inside a transaction');
  return db.savepoint(work);
}
