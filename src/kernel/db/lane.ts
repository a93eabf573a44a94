import { statSync } from 'node:fs';
import type { Database as Connection, Statement as Prepared } from 'better-sqlite3';
import { sleep, systemClock } from '../clock.ts';
import { isBusy } from './dialect.ts';

/** The SQL verbs that the lane needs of its connection. */
export interface LaneConnection {
  readonly inTransaction: boolean;
  /** `BEGIN IMMEDIATE`, which fails at once where another process has the lock: the driver's own wait stops everything. */
  begin(): void;
  exec(sql: string): unknown;
}

interface Waiting {
  run(): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Outcome {
  waiting: Waiting;
  error?: unknown;
  value?: unknown;
  failed: boolean;
}

/** Use cases of one commit: bounds how long other processes wait for the write lock (C16). */
const MAX_PER_COMMIT = 128;
const MAX_COMMIT_MS = 20;
const IMPATIENT_MS = 100;
/** Longer than the gaps between the commits of a server that writes all the time. */
const PAUSE_MS = 3;

/** Who hears of what becomes of a lane. */
export interface LaneListener {
  /** Why a use case was taken back. */
  onFailure?(error: unknown): void;
  /** Use cases are about to be written. Must not throw. */
  onBegin?(): void;
  /** Nothing was written for a moment after something was. Must not throw. */
  onPause?(): void;
}

/**
 * The one writer of a SQLite database in this process. Use cases that arrive while others are parsed or
 * committed share one BEGIN IMMEDIATE and one fsync; each runs in its own SAVEPOINT, so that a failure takes
 * back only its own writes. All are answered after the commit (architecture section 8, group commit).
 */
export class WriterLane {
  readonly #connection: LaneConnection;
  readonly #busyTimeoutMs: number;
  readonly #told: LaneListener;
  #queue: Waiting[] = [];
  /** Work that waits for a moment between two transactions. */
  #between: (() => Promise<void>)[] = [];
  #draining = false;
  #pause: NodeJS.Timeout | undefined;

  constructor(connection: LaneConnection, busyTimeoutMs: number, told: LaneListener = {}) {
    this.#connection = connection;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#told = told;
  }

  /** Queues a use case; resolves after the commit that holds its writes. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: work, resolve: resolve as (value: unknown) => void, reject });
      this.#wake();
    });
  }

  /** Runs `work` while no transaction is open; none begins before it has ended. */
  between<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#between.push(() => work().then(resolve, reject));
    this.#wake();
    return promise;
  }

  #wake(): void {
    if (this.#draining) return;
    this.#draining = true;
    clearTimeout(this.#pause);
    // After the poll phase: every request that is already on a socket joins this commit.
    setImmediate(() => void this.#drain());
  }

  /** Resolves when nothing is queued or running; the last pause is not waited for. */
  async idle(): Promise<void> {
    while (this.#draining) await sleep(1);
    clearTimeout(this.#pause);
  }

  async #drain(): Promise<void> {
    while (this.#queue.length + this.#between.length > 0) {
      for (const work of this.#between.splice(0)) await work();
      if (this.#queue.length === 0) continue;
      try {
        await this.#begin();
      } catch (error) {
        this.#told.onFailure?.(error);
        for (const waiting of this.#queue.splice(0)) waiting.reject(error);
        continue;
      }
      this.#settle(this.#commit(await this.#runGroup()));
      // Let sockets be read and answers be written before the next lock is taken.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#draining = false;
    this.#pause = setTimeout(() => this.#told.onPause?.(), PAUSE_MS).unref();
  }

  /** The wait for another process happens here: the driver's own wait would stop the event loop (M2). */
  async #begin(): Promise<void> {
    this.#told.onBegin?.();
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      try {
        this.#connection.begin();
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        // Who has waited long looks more often than others.
        const hasWaited = deadline - performance.now() < this.#busyTimeoutMs - IMPATIENT_MS;
        await sleep(hasWaited ? 1 : 1 + Math.random() * 4);
      }
    }
  }

  async #runGroup(): Promise<Outcome[]> {
    const started = performance.now();
    const outcomes: Outcome[] = [];
    while (this.#queue.length > 0 && outcomes.length < MAX_PER_COMMIT) {
      outcomes.push(await this.#runOne(this.#queue.shift() as Waiting));
      if (!this.#connection.inTransaction || performance.now() - started > MAX_COMMIT_MS) break;
    }
    return outcomes;
  }

  async #runOne(waiting: Waiting): Promise<Outcome> {
    try {
      this.#connection.exec('SAVEPOINT use_case');
      const value = await waiting.run();
      this.#connection.exec('RELEASE use_case');
      return { waiting, value, failed: false };
    } catch (error) {
      // A full disk or an I/O error makes SQLite roll back by itself; there is then no savepoint any more.
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK TO use_case; RELEASE use_case');
      return { waiting, error, failed: true };
    }
  }

  #commit(outcomes: Outcome[]): Outcome[] {
    const lost = outcomes.find((outcome) => outcome.failed)?.error;
    try {
      if (!this.#connection.inTransaction) throw lost ?? new Error('the transaction ended before its commit');
      this.#connection.exec('COMMIT');
      return outcomes;
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
      return outcomes.map((outcome) => (outcome.failed ? outcome : { ...outcome, error, failed: true }));
    }
  }

  #settle(outcomes: Outcome[]): void {
    for (const { waiting, failed, error, value } of outcomes) {
      if (failed) {
        this.#told.onFailure?.(error);
        waiting.reject(error);
      } else {
        waiting.resolve(value);
      }
    }
  }
}

/** The lane's few verbs, prepared once: it says four of them around every use case. */
export function preparedVerbs(connection: Connection): LaneConnection {
  const known = new Map<string, Prepared>();
  const exec = (sql: string): unknown => {
    if (sql.includes(';')) return connection.exec(sql);
    let verb = known.get(sql);
    if (!verb) {
      verb = connection.prepare(sql);
      known.set(sql, verb);
    }
    return verb.run();
  };
  const waitsMs = connection.pragma('busy_timeout', { simple: true }) as number;
  const [waits, waitsNot] = [waitsMs, 0].map((ms) => connection.prepare(`PRAGMA busy_timeout = ${ms}`));
  return {
    get inTransaction() {
      return connection.inTransaction;
    },
    begin() {
      waitsNot?.get();
      try {
        exec('BEGIN IMMEDIATE');
      } finally {
        waits?.get();
      }
    },
    exec,
  };
}

/** A mark of a copy that was not renewed for so long is of a process that died. */
const FRESH_MS = 10_000;

/** The file that says that a process copies a SQLite file, and takes care of its write-ahead log until it ends. */
export const copyMarkOf = (file: string): string => `${file}-copying`;

/** Whether some process copies a file now. */
export function isBeingCopied(file: string): boolean {
  const info = statSync(copyMarkOf(file), { throwIfNoEntry: false });
  return info !== undefined && Math.abs(systemClock.epochMs() - info.mtimeMs) < FRESH_MS;
}

const ROWS_OF_A_CHECKPOINT = 200;
/** So often the writer asks whether its file is being copied. */
const LOOK_MS = 200;
/** A commit takes 15 ms to give so much of the log back to the disk, and 700 ms for what a long copy leaves. */
const TRIMMED_BYTES = 32 * 1024 ** 2;

/**
 * Copies what was written into the database while nobody writes. Left alone, SQLite does so every 2,000 pages, in the
 * commit that has bad luck, and all requests wait 20 to 40 ms; after a pause it is what little came since the last one.
 * Each copy waits for the disk, so single writes with pauses between them share one. While another process copies the
 * file, none is made: it takes over the whole log at its end. The log, which grew meanwhile, becomes small in steps.
 *
 * @param usual of the connection, when nobody copies
 */
export function checkpointsOf(
  writer: Connection,
  file: string,
  usual: { readonly wal_autocheckpoint: number; readonly journal_size_limit: number },
  nowMs: () => number = () => performance.now(),
): Required<Pick<LaneListener, 'onBegin' | 'onPause'>> {
  const countChanges = writer.prepare('SELECT total_changes()').pluck();
  let copied = 0;
  let state: 'usual' | 'left' | 'trimming' = 'usual';
  let lookedMs = Number.NEGATIVE_INFINITY;
  const set = (name: keyof typeof usual, value: number): void => void writer.pragma(`${name} = ${value}`);
  const look = (): void => {
    const now = nowMs();
    if (now - lookedMs < LOOK_MS) return;
    lookedMs = now;
    if (isBeingCopied(file)) {
      if (state === 'left') return;
      state = 'left';
      set('wal_autocheckpoint', 0);
      set('journal_size_limit', -1);
      return;
    }
    if (state === 'left') set('wal_autocheckpoint', usual.wal_autocheckpoint);
    if (state === 'usual') return;
    const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const next = Math.max(usual.journal_size_limit, size - TRIMMED_BYTES);
    set('journal_size_limit', next);
    state = next === usual.journal_size_limit ? 'usual' : 'trimming';
  };
  const quietly = (work: () => void) => (): void => {
    try {
      if (writer.open) work();
    } catch {
      // A disk that takes no more says so to the next commit, which can answer somebody.
    }
  };
  return {
    onBegin: quietly(look),
    onPause: quietly(() => {
      look();
      const changes = countChanges.get() as number;
      if (state === 'left' || changes - copied < ROWS_OF_A_CHECKPOINT) return;
      copied = changes;
      writer.pragma('wal_checkpoint(PASSIVE)');
    }),
  };
}
