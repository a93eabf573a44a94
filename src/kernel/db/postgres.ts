import knexFactory, { type Knex } from 'knex';
import PostgresDialect from 'knex/lib/dialects/postgres/index.js';
import pg, { type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { sleep } from '../clock.ts';
import { maskUrlPassword } from '../config/mask.ts';
import type { Compiled } from './compiled.ts';
import { type Database, DatabaseUnavailable, type Db, TransactionEnded } from './database.ts';
import { endsSession, isSerializationFailure } from './dialect.ts';
import { Pipelines } from './pipelines.ts';
import { openPool, STATEMENT_TIMEOUT_MS, turnOf } from './pool.ts';
import { sessionName } from './sessions.ts';
import { WriteHealth } from './write-health.ts';

export interface PostgresOptions {
  poolSize: number;
  /** Told of connections that break while idle: without a listener they would end the process (M24). */
  onError(error: Error): void;
  /** How long somebody waits for a connection that is free; absent: 15 s. */
  turnMs?: number;
}

/** What this program asks for is on a fast disk or in memory: an index is worth more than the default believes (decision 0098). */
const PLANS = '-c random_page_cost=1.1';
/** Set on every connection (reliability M2). */
const SESSION = `-c statement_timeout=${STATEMENT_TIMEOUT_MS} -c lock_timeout=5000 -c idle_in_transaction_session_timeout=15000 ${PLANS}`;
/** A long read neither runs out of time between two batches nor within one. */
const BEGIN_SNAPSHOT =
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0';
/** Takes 32 pages and gives them back; rows of less than 2 KB are stored as they are. Two at once wait for one another. */
const PROBE = `
CREATE TABLE appctl_probe (bytes text);
INSERT INTO appctl_probe SELECT repeat('0', 1900) FROM generate_series(1, 128);
DROP TABLE appctl_probe`;
const INSUFFICIENT_PRIVILEGE = '42501';
const MAX_TRIES = 3;
const JSON_OIDS = [pg.types.builtins.JSON, pg.types.builtins.JSONB] as number[];

/** int8 as a number; JSON as its text, because columns.ts parses it alike on both databases. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return readSafeInteger;
    if (JSON_OIDS.includes(oid)) return (text: string) => text;
    return pg.types.getTypeParser(oid, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

function readSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`integer ${text} is beyond the safe range`);
  return value;
}

/** An address with settings of its connections, before those that it has itself, and the name of this process. */
export function withSession(url: string, session: string): string {
  const address = new URL(url);
  const asked = address.searchParams.get('options');
  address.searchParams.set('options', asked ? `${session} ${asked}` : session);
  if (!address.searchParams.has('application_name'))
    address.searchParams.set('application_name', sessionName);
  return address.href;
}

/**
 * Opens a pool on Postgres 15 or newer.
 *
 * @param url `postgres://user:password@host:port/database`; its own `options` are kept
 * @throws DatabaseUnavailable when the server does not answer
 */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Database> {
  const config = {
    connectionString: withSession(url, SESSION),
    // The shared connections of the reads come on top.
    max: options.poolSize + Pipelines.CONNECTIONS,
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: false,
    pipeline: true,
    types,
  };
  const pool = openPool(config, options.turnMs);
  // A connection that breaks while it is checked out tells only its own listener; without one the process ends (M24).
  pool.on('connect', (client) => client.on('error', (error) => options.onError(error)));
  pool.on('error', (error: Error & { client?: unknown }) => {
    // The pool hangs its client on the error: buffers, statements, and the secret by which its queries are cancelled.
    delete error.client;
    options.onError(error);
  });
  const database = new PostgresDatabase(pool, maskUrlPassword(url));
  try {
    await database.ping();
    return database;
  } catch (error) {
    await pool.end();
    const address = new URL(url);
    throw new DatabaseUnavailable(
      `cannot reach ${address.host}${address.pathname}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** A connection, or the shared ones. */
interface Queryable {
  query(config: QueryConfig): Promise<QueryResult>;
}

class PostgresDb implements Db {
  readonly dialect = 'postgres';
  readonly holdsWriteLock = false;
  readonly #target: Queryable;
  readonly #makeKnex: () => Knex;
  #ended = false;

  constructor(target: Queryable, makeKnex: () => Knex) {
    this.#target = target;
    this.#makeKnex = makeKnex;
  }

  get knex(): Knex {
    if (this.#ended) throw new TransactionEnded();
    return this.#makeKnex();
  }

  async first<R>(statement: Compiled, values: unknown[]): Promise<R | undefined> {
    return (await this.#query(statement, values)).rows[0] as R | undefined;
  }

  async all<R>(statement: Compiled, values: unknown[]): Promise<R[]> {
    return (await this.#query(statement, values)).rows as R[];
  }

  async run(statement: Compiled, values: unknown[]): Promise<number> {
    return (await this.#query(statement, values)).rowCount ?? 0;
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new TransactionEnded();
    // Sent ahead of the first statement of the part, as BEGIN is.
    const begun = this.#target.query({ text: 'SAVEPOINT part' });
    begun.catch(() => undefined);
    try {
      const value = await work();
      await begun;
      await this.#target.query({ text: 'RELEASE SAVEPOINT part' });
      return value;
    } catch (error) {
      await this.#target.query({ text: 'ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part' });
      throw error;
    }
  }

  end(): void {
    this.#ended = true;
  }

  #query({ id, sql }: Compiled, values: unknown[]) {
    if (this.#ended) throw new TransactionEnded();
    return this.#target.query({ name: `appctl_${id}`, text: sql, values });
  }
}

class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly displayUrl: string;
  readonly db: Db;
  readonly #pool: Pool;
  readonly #pipelines: Pipelines;
  readonly #health = new WriteHealth(() => this.probeWrite());
  /** Builders by connection: making one costs more than a query. */
  readonly #builders = new WeakMap<PoolClient, Knex>();

  constructor(pool: Pool, displayUrl: string) {
    this.#pool = pool;
    this.displayUrl = displayUrl;
    const knex = knexOn(
      () => turnOf(pool),
      (client) => client.release(),
    );
    this.#pipelines = new Pipelines(pool);
    this.db = new PostgresDb(this.#pipelines, () => knex);
  }

  async transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (!isSerializationFailure(error) || attempt === MAX_TRIES) throw error;
        await sleep(5 + Math.random() * 20 * attempt);
      }
    }
  }

  async snapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const client = await turnOf(this.#pool);
    const db = new PostgresDb(client, () => this.#builderOf(client));
    let cause: unknown = null;
    try {
      await client.query(BEGIN_SNAPSHOT);
      return await work(db);
    } catch (error) {
      cause = error;
      throw error;
    } finally {
      db.end();
      client.release(await rollback(client, cause));
    }
  }

  async #once<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const client = await turnOf(this.#pool);
    const db = new PostgresDb(client, () => this.#builderOf(client));
    let broken: Error | boolean = false;
    try {
      // Sent ahead of the first statement of the use case, which need not wait for its answer.
      const begun = client.query('BEGIN');
      begun.catch(() => undefined);
      const result = await work(db);
      db.end();
      await begun;
      await client.query('COMMIT');
      return result;
    } catch (error) {
      db.end();
      this.#health.note(error);
      broken = await rollback(client, error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  #builderOf(client: PoolClient): Knex {
    let knex = this.#builders.get(client);
    if (!knex) {
      knex = knexOn(
        () => Promise.resolve(client),
        () => undefined,
      );
      this.#builders.set(client, knex);
    }
    return knex;
  }

  async ping(): Promise<void> {
    await this.#pool.query('SELECT 1');
    await this.#health.check();
  }

  /** A row that is rewritten finds room in its page on a full disk, too: a new table needs some. */
  async probeWrite(): Promise<void> {
    try {
      await this.transaction(async ({ knex }) => void (await knex.raw(PROBE)));
    } catch (error) {
      // Who may not make tables learns from the next write whether one can be made.
      if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    }
  }

  async version(): Promise<string> {
    const { rows } = await this.#pool.query<{ server_version: string }>('SHOW server_version');
    return `PostgreSQL ${rows[0]?.server_version}`;
  }

  async close(): Promise<void> {
    await this.#pipelines.close();
    await this.#pool.end();
  }
}

/**
 * Rolls back; answers whether the connection is of no more use and must leave the pool. While the disk is full the server
 * may take no other one.
 */
async function rollback(client: PoolClient, cause: unknown): Promise<Error | boolean> {
  if (endsSession(cause)) return true;
  try {
    await client.query('ROLLBACK');
    return false;
  } catch (error) {
    return error as Error;
  }
}

function knexOn(acquire: () => Promise<PoolClient>, release: (client: PoolClient) => void): Knex {
  class Borrowed extends PostgresDialect {
    override acquireConnection(): Promise<PoolClient> {
      return acquire();
    }
    override releaseConnection(client: PoolClient): Promise<void> {
      release(client);
      return Promise.resolve();
    }
  }
  return knexFactory({ client: Borrowed });
}
