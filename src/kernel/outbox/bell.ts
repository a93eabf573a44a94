import { memoryKey } from '../process-memory.ts';

/** Wakes what sends, in the process that wrote something to send; other processes find it by looking. */
class Bell {
  readonly #listeners = new Set<() => void>();

  /** After a commit that left entries in the outbox. */
  ring(): void {
    for (const wake of this.#listeners) wake();
  }

  /** @param wake must return at once; @returns ends the listening */
  onRing(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => void this.#listeners.delete(wake);
  }
}

/** The bell of one process. */
export const outboxBell = memoryKey('outbox bell', () => new Bell());
