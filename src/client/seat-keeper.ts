import type { CallOptions } from './calls.ts';
import type { Activation, SeatHandle, SeatOptions, Seats } from './types.ts';

export type Seat = { activation: Activation } & Seats;

export interface SeatKeeper {
  /** @param how `patienceMs` is given by who works in the background: how long a rate limit may take */
  checkout(options?: SeatOptions, how?: Pick<CallOptions, 'patienceMs' | 'signal'>): Promise<Seat>;
  checkin(): Promise<Seats>;
  hold(options?: SeatOptions): Promise<SeatHandle>;
  /** Notes what an answer said about seats. */
  note(seats: Seats): void;
  /** Ends all timers; the seats stay taken until their leases end. */
  stop(): void;
}
