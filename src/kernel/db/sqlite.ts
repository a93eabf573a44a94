import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Driver, { type Database as Connection, type Statement as Prepared } from 'better-sqlite3';
import knexFactory, { type Knex } from 'knex';
import BetterSqlite3Dialect from 'knex/lib/dialects/better-sqlite3/index.js';
import { ConfigError } from '../config/errors.ts';
import { syncFolder, touchPrivateFile } from '../private-files.ts';
import { type Aside, type Database, DatabaseUnavailable, type Db, TransactionEnded } from './database.ts';
import { isBusy } from './dialect.ts';
import { faultOf } from './faults.ts';
import { checkpointsOf, preparedVerbs, WriterLane } from './lane.ts';
import { ReadingDb, SqliteDb } from './sqlite-db.ts';
import { requireFreeSpace, writeProbe } from './sqlite-probe.ts';
import { RowsCompiler } from './sqlite-rows.ts';
import { WriteHealth } from './write-health.ts';

export interface SqliteOptions {
  busyTimeoutMs: number;
  /** Whether a missing file is created; a read-only command must not leave an empty database behind. */
  create: boolean;
  /** A file of this process alone, worthless once it ends: it is written once, and to no log that grows as large as it. */
  scratch?: boolean;
}

/** Pragmas of every connection; all but the first are per connection (reliability M1). */
const PRAGMAS = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  trusted_schema: 0,
  journal_size_limit: 67_108_864,
  // Pages of 4 KiB. A checkpoint stops every request while it copies: of 40 MiB for 200 ms. With the default of 1,000
  // every tenth commit under load waits for one (decision 0023).
  wal_autocheckpoint: 2_000,
  // Negative: KiB, taken as pages are read. The default of 2 MB holds none of the indexes of 100,000 licenses; of 64 MiB
  // a few thousand of them in use push each other's pages out: 16 µs for what takes 12.
  cache_size: -131_072,
  // Memory: copies of the pages that a savepoint may have to restore went to a file, 16 pages on (decision 0105).
  temp_store: 2,
} as const;

type Pragmas = Readonly<Record<keyof typeof PRAGMAS, string | number>>;

/** Of a scratch file: its pages go to the disk as they come, whoever syncs it meanwhile, and not all at a commit. */
const SCRATCH_PRAGMAS: Pragmas = { ...PRAGMAS, journal_mode: 'memory', synchronous: 0, cache_size: -16_384 };

/** Functions that every connection has, since indexes may be made with them. */
export function giveFunctions(connection: Connection): void {
  // SQLite's own lower() knows ASCII only: a search for "özil" would miss "Özil".
  connection.function('lower', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
}

/** Of a connection for one long stream, KiB: it reads each page once, and would fill the memory of those that are read again. */
const CACHE_OF_A_STREAM = -2048;

/** The driver's own wait: short, since it stops the whole event loop (M2). */
const DRIVER_TIMEOUT_MS = 50;

/**
 * Opens a SQLite file: one connection writes, through the lane, and reads in between; one only reads.
 *
 * @param path file system path
 * @throws DatabaseUnavailable when the file cannot be opened, is no database, or refuses a pragma
 */
export function openSqlite(path: string, options: SqliteOptions): Database {
  const file = resolve(path);
  const isNew = !existsSync(file);
  if (isNew && !options.create) {
    throw new DatabaseUnavailable(`no database was found at ${file}`, {
      hint: 'appctl setup or appctl serve creates it; --data-dir selects another folder',
    });
  }
  try {
    // SQLite gives its other files (WAL, shared memory) the mode of this one.
    if (isNew) touchPrivateFile(file);
    const pragmas = options.scratch ? SCRATCH_PRAGMAS : PRAGMAS;
    const writer = connect(file, false, pragmas);
    // Without this a power cut could take the new file's directory entry with it (M1).
    if (isNew) syncFolder(dirname(file));
    return new SqliteDatabase(file, writer, connect(file, true, pragmas), options.busyTimeoutMs);
  } catch (error) {
    // The driver itself could not be loaded: the database is not at fault.
    if (error instanceof ConfigError) throw error;
    const hint = faultOf(error)?.hint ?? 'choose another database with --db or --data-dir';
    throw new DatabaseUnavailable(`cannot open ${file}: ${(error as Error).message}`, { cause: error, hint });
  }
}

function connect(file: string, readonly: boolean, pragmas: Pragmas): Connection {
  const connection = new Driver(file, { readonly, timeout: DRIVER_TIMEOUT_MS });
  giveFunctions(connection);
  for (const [name, value] of Object.entries(pragmas)) {
    if (readonly && name === 'journal_mode') continue;
    setPragma(connection, name, value);
    const [row] = connection.pragma(name) as Record<string, unknown>[];
    if (row && Object.values(row)[0] !== value) throw new Error(`PRAGMA ${name} did not become ${value}`);
  }
  return connection;
}

/** Switching a new file to WAL needs it alone for a moment: two first starts may meet there. */
function setPragma(connection: Connection, name: string, value: string | number): void {
  for (let tries = 0; ; tries++) {
    try {
      connection.pragma(`${name} = ${value}`);
      return;
    } catch (error) {
      if (!isBusy(error) || tries > 100) throw error;
    }
  }
}

class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly displayUrl: string;
  readonly db: Db;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #writerKnex: Knex;
  readonly #writerStatements: Prepared[] = [];
  readonly #lane: WriterLane;
  readonly #folder: string;
  readonly #health: WriteHealth;
  /** A connection that only reads, for one long stream. */
  readonly #aside: () => Aside;

  constructor(file: string, writer: Connection, reader: Connection, busyTimeoutMs: number) {
    this.displayUrl = `sqlite:${file}`;
    this.#folder = dirname(file);
    this.#health = new WriteHealth(() => this.probeWrite());
    this.#writer = writer;
    this.#reader = reader;
    this.#writerKnex = knexOn(writer, () => writer.inTransaction);
    this.#lane = new WriterLane(preparedVerbs(writer), busyTimeoutMs, {
      onFailure: (error) => this.#health.note(error),
      ...checkpointsOf(writer, file, PRAGMAS),
    });
    const health = this.#health;
    const onWriter = new SqliteDb(writer, this.#writerKnex, this.#writerStatements, { health });
    const reading = (connection: Connection) =>
      new SqliteDb(
        connection,
        knexOn(connection, () => true, { takesTurns: true }),
        [],
        { health },
      );
    this.#aside = () => {
      const aside = connect(file, true, { ...PRAGMAS, cache_size: CACHE_OF_A_STREAM });
      return { db: reading(aside), end: () => void aside.close() };
    };
    this.db = new ReadingDb(writer, onWriter, reading(reader), this.#aside);
  }

  transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#lane.run(async () => {
      const db = new SqliteDb(this.#writer, this.#writerKnex, this.#writerStatements, {
        health: this.#health,
        isTransaction: true,
      });
      try {
        return await work(db);
      } finally {
        db.end();
      }
    });
  }

  async snapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const { db, end } = this.#aside();
    try {
      await db.knex.raw('BEGIN');
      // SQLite takes the snapshot with the first read.
      await db.knex.raw('SELECT name FROM sqlite_master LIMIT 1');
      return await work(db);
    } finally {
      end();
    }
  }

  betweenCommits<T>(work: () => Promise<T>): Promise<T> {
    return this.#lane.between(work);
  }

  async ping(): Promise<void> {
    this.#reader.prepare('SELECT 1').get();
    await this.#health.check();
  }

  async probeWrite(): Promise<void> {
    await requireFreeSpace(this.#folder);
    await this.#lane.run(async () => writeProbe(this.#writer));
  }

  async version(): Promise<string> {
    const row = this.#reader.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    return `SQLite ${row.version}`;
  }

  async close(): Promise<void> {
    await this.#lane.idle();
    this.#reader.close();
    this.#writer.close();
  }
}

/**
 * A knex whose only connection is the given one: the builder then takes part in the lane's transaction.
 *
 * @param isLive whether a query may run now
 * @param how `takesTurns` for reads of staff and jobs: a page asks twenty times, and without a pause between them every
 *   validation that came meanwhile would wait for all of it
 */
function knexOn(connection: Connection, isLive: () => boolean, { takesTurns = false } = {}): Knex {
  const lent = remembering(connection);
  class OneConnection extends BetterSqlite3Dialect {
    override async acquireConnection(): Promise<Connection> {
      if (takesTurns) await setImmediate();
      if (!isLive()) throw new TransactionEnded();
      return lent;
    }
    override releaseConnection(): Promise<void> {
      return Promise.resolve();
    }
    override queryCompiler(builder: unknown, bindings?: unknown): RowsCompiler {
      return new RowsCompiler(this, builder, bindings);
    }
  }
  return knexFactory({ client: OneConnection, useNullAsDefault: true });
}

const MOST_REMEMBERED = 100;
/** Some others, such as a PRAGMA, do their work while they are prepared. */
const REMEMBERED = /^(select|with|insert|update|delete)\b/i;

/**
 * The connection as the builder sees it, with the last statements that it prepared: a list is the same text again, and
 * the memory of one that nobody needs any more is only given back when V8 next looks at everything. A stream of 100,000
 * rows held 150 MB of them.
 */
function remembering(connection: Connection): Connection {
  const known = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    if (!REMEMBERED.test(sql)) return connection.prepare(sql);
    const prepared = known.get(sql) ?? connection.prepare(sql);
    known.delete(sql);
    known.set(sql, prepared);
    const [oldest] = known.keys();
    if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
    return prepared;
  };
  return { prepare } as Connection;
}
