import type { Core } from './core.ts';
import { ClientError, errorOf, LicenseApiError } from './errors.ts';
import type { Seat, SeatKeeper } from './seat-keeper.ts';
import { startTimer, type Timer, withJitter } from './timers.ts';
import type { SeatHandle, SeatOptions } from './types.ts';

/** No lease is shorter than a minute, so a sooner extension would come from a clock that is wrong. */
const SOONEST_EXTENSION_MS = 20_000;
/** Bounds of the time between an extension that failed and the next attempt. */
const SOONEST_RETRY_MS = 1_000;
const LATEST_RETRY_MS = 60_000;

/** Whether a refusal means that the seat is gone for good (7.3). */
export const isSeatGone = (error: Error): boolean =>
  error instanceof LicenseApiError && /^(SEAT_LIMIT_REACHED$|LICENSE_)/.test(error.code);

/** A seat that is being held. */
interface Hold {
  core: Core;
  calls: Pick<SeatKeeper, 'checkout' | 'checkin'>;
  options: SeatOptions;
  seat: Seat;
  timer: Timer | null;
  /** Gives up an extension under way: it must not take the seat again that was just given back. */
  extending: AbortController;
  /** null once the seat is lost, released or left alone. */
  lose: ((error: LicenseApiError | ClientError) => void) | null;
  /** Where close() finds it. */
  held: Set<() => void>;
  leave(): void;
}

/**
 * Keeps a seat: extends its lease at half of it, and tries again after failures until it has ended (7.3).
 *
 * @param seat as checkout gave it
 * @param held gets a function that stops the timers and leaves the seat to its lease
 */
export function holdSeat(
  core: Core,
  calls: Hold['calls'],
  seat: Seat,
  options: SeatOptions,
  held: Set<() => void>,
): SeatHandle {
  const begun = { timer: null, lose: null, extending: new AbortController() };
  const hold: Hold = { core, calls, options, seat, held, ...begun, leave: () => leave(hold) };
  const lost = new Promise<LicenseApiError | ClientError>((resolve) => (hold.lose = resolve));
  held.add(hold.leave);
  scheduleExtension(hold);
  return {
    lost,
    get activation() {
      return hold.seat.activation;
    },
    get seats() {
      return seatsOf(hold.seat);
    },
    async extend(leaseDuration) {
      if (hold.lose === null) throw new ClientError('ABORTED', 'this seat is not held any more');
      if (leaseDuration !== undefined) hold.options = { ...hold.options, leaseDuration };
      await extend(hold);
    },
    async release() {
      leave(hold);
      const seats = await calls.checkin();
      hold.seat = { ...hold.seat, ...seats };
      return seats;
    },
  };
}

const seatsOf = ({ seatsUsed, seatsTotal, seatsAvailable }: Seat) => ({
  seatsUsed,
  seatsTotal,
  seatsAvailable,
});

const leftMs = ({ core, seat }: Hold): number =>
  Date.parse(seat.activation.leaseExpiresAt ?? '') - core.clock.serverNow();

function leave(hold: Hold): void {
  hold.lose = null;
  hold.timer?.stop();
  hold.extending.abort();
  hold.held.delete(hold.leave);
}

function schedule(hold: Hold, delayMs: number): void {
  hold.timer?.stop();
  if (hold.lose !== null) hold.timer = startTimer(delayMs, true, () => void renew(hold));
}

const scheduleExtension = (hold: Hold): void =>
  schedule(hold, withJitter(Math.max(SOONEST_EXTENSION_MS, leftMs(hold) / 2)));

/** @param patienceMs given by the timer: how long a rate limit may take */
async function extend(hold: Hold, patienceMs?: number): Promise<void> {
  const seat = await hold.calls.checkout(hold.options, { patienceMs, signal: hold.extending.signal });
  const before = hold.seat.activation;
  const { activatedAt } = seat.activation.id === before.id ? before : seat.activation;
  hold.seat = { ...seat, activation: { ...seat.activation, activatedAt } };
  scheduleExtension(hold);
}

async function renew(hold: Hold): Promise<void> {
  try {
    await extend(hold, Math.max(0, leftMs(hold)));
  } catch (thrown) {
    const error = errorOf(thrown);
    if (isSeatGone(error) || leftMs(hold) <= 0) return giveUp(hold, error);
    const delayMs = withJitter(Math.min(LATEST_RETRY_MS, leftMs(hold) / 4));
    schedule(hold, Math.max(SOONEST_RETRY_MS, delayMs));
  }
}

function giveUp(hold: Hold, error: Error): void {
  const { lose } = hold;
  if (lose === null) return;
  leave(hold);
  const known = error instanceof LicenseApiError || error instanceof ClientError;
  const told = known ? error : new ClientError('NETWORK', error.message, error);
  hold.core.events.emit('seat-lost', { reason: told.code });
  lose(told);
}
