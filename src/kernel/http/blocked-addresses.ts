import type { Clock } from '../clock.ts';

/** Beyond this many the oldest is asked about anew. */
const MOST = 20_000;

/** Addresses that are known to be over a limit which another process or a store counts. */
export class BlockedAddresses {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(address: string, seconds: number): void {
    const oldest = this.#untilMs.size < MOST ? undefined : this.#untilMs.keys().next().value;
    if (oldest !== undefined) this.#untilMs.delete(oldest);
    this.#untilMs.set(address, this.#clock.monotonicMs() + seconds * 1000);
  }

  /** All that are known, with the seconds that are left. */
  all(): { address: string; seconds: number }[] {
    return [...this.#untilMs.keys()]
      .map((address) => ({ address, seconds: this.secondsOf(address) }))
      .filter(({ seconds }) => seconds > 0);
  }

  /** Seconds until an address may try again; 0 when it may. */
  secondsOf(address: string): number {
    const leftMs = (this.#untilMs.get(address) ?? 0) - this.#clock.monotonicMs();
    if (leftMs > 0) return Math.ceil(leftMs / 1000);
    this.#untilMs.delete(address);
    return 0;
  }
}
