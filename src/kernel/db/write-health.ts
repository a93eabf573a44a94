import { type DatabaseFault, faultOf } from './faults.ts';

/** A damaged page fails the requests that need it and no others: that a write succeeds does not prove it whole. */
const DAMAGE_COUNTS_MS = 30_000;

/** Kinds of faults that concern every write. A lock is a matter of the moment and of one row. */
const COUNTED: ReadonlySet<DatabaseFault['kind']> = new Set(['full', 'read-only', 'damaged', 'disk']);

/**
 * Remembers that a database took no write, until it has taken one (reliability M24). A ping only reads, and reads go on
 * while a disk is full.
 */
export class WriteHealth {
  readonly #probe: () => Promise<void>;
  readonly #nowMs: () => number;
  #failed: { readonly fault: DatabaseFault; readonly atMs: number } | null = null;

  /**
   * @param probe writes something; rejects with what keeps the database from it
   * @param nowMs monotonic clock
   */
  constructor(probe: () => Promise<void>, nowMs: () => number = () => performance.now()) {
    this.#probe = probe;
    this.#nowMs = nowMs;
  }

  /** Is told of every error of a statement or a commit; those of the program itself change nothing. */
  note(error: unknown): void {
    const fault = faultOf(error);
    if (fault !== null && COUNTED.has(fault.kind)) this.#failed = { fault, atMs: this.#nowMs() };
  }

  /**
   * Costs nothing while all is well; after a failure it writes, and forgets the failure when that succeeds.
   *
   * @throws Error in words for an operator while the database takes no writes
   */
  async check(): Promise<void> {
    const failed = this.#failed;
    if (failed === null) return;
    if (failed.fault.kind === 'damaged' && this.#nowMs() - failed.atMs < DAMAGE_COUNTS_MS) {
      throw new Error(failed.fault.message);
    }
    try {
      await this.#probe();
    } catch (error) {
      this.note(error);
      throw error;
    }
    // A write that failed meanwhile counts more than the probe, which began before it.
    if (this.#failed === failed) this.#failed = null;
  }
}
