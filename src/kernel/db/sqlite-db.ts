import type { Database as Connection, Statement as Prepared } from 'better-sqlite3';
import type { Knex } from 'knex';
import type { Compiled } from './compiled.ts';
import { type Aside, type Db, TransactionEnded } from './database.ts';
import type { WriteHealth } from './write-health.ts';

/** Runs compiled statements on one connection; each is prepared once per connection. */
export class SqliteDb implements Db {
  readonly dialect = 'sqlite';
  readonly holdsWriteLock = true;
  readonly #connection: Connection;
  readonly #knex: Knex;
  readonly #prepared: Prepared[];
  readonly #health: WriteHealth;
  readonly #isTransaction: boolean;
  #ended = false;

  constructor(
    connection: Connection,
    knex: Knex,
    prepared: Prepared[],
    { health, isTransaction = false }: { health: WriteHealth; isTransaction?: boolean },
  ) {
    this.#connection = connection;
    this.#knex = knex;
    this.#prepared = prepared;
    this.#health = health;
    this.#isTransaction = isTransaction;
  }

  get knex(): Knex {
    this.#requireLive();
    return this.#knex;
  }

  first<R>(statement: Compiled, values: unknown[]): R | undefined {
    try {
      return this.#bind(statement, values).get(...values) as R | undefined;
    } catch (error) {
      throw this.#noted(error);
    }
  }

  all<R>(statement: Compiled, values: unknown[]): R[] {
    try {
      return this.#bind(statement, values).all(...values) as R[];
    } catch (error) {
      throw this.#noted(error);
    }
  }

  run(statement: Compiled, values: unknown[]): number {
    try {
      return this.#bind(statement, values).run(...values).changes;
    } catch (error) {
      throw this.#noted(error);
    }
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#requireLive();
    this.#connection.exec('SAVEPOINT part');
    try {
      const value = await work();
      this.#connection.exec('RELEASE part');
      return value;
    } catch (error) {
      // A full disk or an I/O error makes SQLite roll back by itself; there is then no savepoint any more.
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK TO part; RELEASE part');
      throw error;
    }
  }

  end(): void {
    this.#ended = true;
  }

  /** Whether a statement changes nothing. */
  isRead(statement: Compiled): boolean {
    return this.#prepare(statement).readonly;
  }

  /** What a use case catches itself counts too. */
  #noted(error: unknown): unknown {
    this.#health.note(error);
    return error;
  }

  /** A full disk makes SQLite roll back by itself: what the use case writes after that would be committed at once. */
  #requireLive(): void {
    if (this.#ended || (this.#isTransaction && !this.#connection.inTransaction)) throw new TransactionEnded();
  }

  #bind(statement: Compiled, values: unknown[]): Prepared {
    this.#requireLive();
    for (let i = 0; i < values.length; i++) if (typeof values[i] === 'boolean') values[i] = values[i] ? 1 : 0;
    return this.#prepare(statement);
  }

  #prepare({ id, sql }: Compiled): Prepared {
    let prepared = this.#prepared[id];
    if (!prepared) {
      prepared = this.#connection.prepare(sql);
      this.#prepared[id] = prepared;
    }
    return prepared;
  }
}

/**
 * Reads outside of transactions: on the connection that writes, as long as it is in none. SQLite forgets all pages that a
 * connection has read as soon as another one has committed; those that were read here outlive our own commits. What
 * comes while a use case is under way must not see its half-done work and goes to the other connection, as does all
 * that is no compiled read.
 */
export class ReadingDb implements Db {
  readonly dialect = 'sqlite';
  readonly holdsWriteLock = true;
  readonly #writer: Connection;
  readonly #onWriter: SqliteDb;
  readonly #onReader: SqliteDb;
  readonly aside: () => Aside;

  constructor(writer: Connection, onWriter: SqliteDb, onReader: SqliteDb, aside: () => Aside) {
    this.#writer = writer;
    this.#onWriter = onWriter;
    this.#onReader = onReader;
    this.aside = aside;
  }

  get knex(): Knex {
    return this.#onReader.knex;
  }

  first<R>(statement: Compiled, values: unknown[]): R | undefined {
    return this.#sideOf(statement).first(statement, values);
  }

  all<R>(statement: Compiled, values: unknown[]): R[] {
    return this.#sideOf(statement).all(statement, values);
  }

  /** Refused there. */
  run(statement: Compiled, values: unknown[]): number {
    return this.#onReader.run(statement, values);
  }

  #sideOf(statement: Compiled): SqliteDb {
    const isFree = !this.#writer.inTransaction && this.#onWriter.isRead(statement);
    return isFree ? this.#onWriter : this.#onReader;
  }
}
