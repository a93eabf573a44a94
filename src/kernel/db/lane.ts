import { sleep } from '../clock.ts';
import { isBusy } from './dialect.ts';

/** The SQL verbs that the lane needs of its connection. */
export interface LaneConnection {
  readonly inTransaction: boolean;
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
/** Longer than the gaps between the commits of a server that writes all the time. */
const PAUSE_MS = 3;

/** Who hears of what becomes of a lane. */
export interface LaneListener {
  /** Why a use case was taken back. */
  onFailure?(error: unknown): void;
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
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      try {
        this.#connection.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await sleep(1 + Math.random() * 4);
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
