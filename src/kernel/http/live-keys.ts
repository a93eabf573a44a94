import type { Clock } from '../clock.ts';

const SLOT_MS = 60_000;

/** How many windows are open, by the minute in which they end: a timer for each would cost more than the window. */
export class LiveKeys {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #ending = new Map<number, number>();
  #count = 0;
  #slot = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Counts a window that ends after this many milliseconds. */
  add(untilMs: number): void {
    const slot = Math.ceil((this.#clock.monotonicMs() + untilMs) / SLOT_MS);
    this.#ending.set(slot, (this.#ending.get(slot) ?? 0) + 1);
    this.#count += 1;
  }

  /** Windows that have not ended; one that ended less than a minute ago may be among them. */
  get count(): number {
    const now = Math.floor(this.#clock.monotonicMs() / SLOT_MS);
    if (now > this.#slot) {
      this.#slot = now;
      for (const [slot, keys] of this.#ending) {
        if (slot > now) continue;
        this.#ending.delete(slot);
        this.#count -= keys;
      }
    }
    return this.#count;
  }
}
