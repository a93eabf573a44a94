// Floating seats (licensing.md 7.3).
import { isoOf } from './clock.ts';
import type { Core } from './core.ts';
import { errorOf, LicenseApiError } from './errors.ts';
import { holdSeat, isSeatGone } from './hold-seat.ts';
import type { SeatKeeper } from './seat-keeper.ts';
import { isInstant, isObject, isText, maybe, need } from './shape.ts';
import type { Activation, SeatHandle, Seats } from './types.ts';
import { seatsOf } from './verdict.ts';

/** @param changed is called when a seat was taken or given back */
export function createSeats(core: Core, changed: () => void): SeatKeeper {
  const { calls, settings } = core;
  const held = new Set<() => void>();
  let known: Seats | null = null;

  const checkout: SeatKeeper['checkout'] = async (options = {}, how = {}) => {
    await core.ready();
    const { leaseDuration, metadata } = options;
    const fields = { machineName: settings.machine.name, leaseDuration, metadata };
    const background = how.patienceMs !== undefined;
    const { body } = await calls.post('checkout', 'key', fields, { ...how, background });
    known = seatsOf(body);
    changed();
    return { activation: seatIn(core, need(body, 'activation', isObject)), ...known };
  };
  const checkin = async (): Promise<Seats> => {
    await core.ready();
    const reply = await calls.postOnce('checkin', 'key', {
      doneWhenRepeated: ({ code }) => code === 'NOT_CHECKED_OUT',
    });
    // When the answer was lost, the numbers before it tell what it would have said.
    known = reply === null ? oneFreed(known) : seatsOf(reply.body);
    changed();
    return known;
  };
  return {
    checkout,
    checkin,
    note: (seats) => void (known = seats),
    async hold(options = {}) {
      try {
        return holdSeat(core, { checkout, checkin }, await checkout(options), options, held);
      } catch (error) {
        if (core.identity.mode() !== 'HONOR_SYSTEM') throw error;
        tellRefusal(core, errorOf(error));
        return seatOfHonor(core);
      }
    },
    stop() {
      for (const end of [...held]) end();
    },
  };
}

/** The seat of an answer; checkout says neither its name nor since when it is held. */
function seatIn({ settings, clock }: Core, activation: Parameters<typeof need>[0]): Activation {
  const metadata = maybe(activation, 'metadata', isObject);
  return {
    id: need(activation, 'id', isText),
    machineId: need(activation, 'machineId', isText),
    machineName: settings.machine.name ?? null,
    activatedAt: maybe(activation, 'activatedAt', isInstant) ?? isoOf(clock.serverNow()) ?? '',
    leaseExpiresAt: need(activation, 'leaseExpiresAt', isInstant),
    ...(metadata && { metadata }),
  };
}

const oneFreed = (before: Seats | null): Seats => {
  const { seatsUsed = 1, seatsTotal = 1, seatsAvailable = 0 } = before ?? {};
  return {
    seatsTotal,
    seatsUsed: Math.max(0, seatsUsed - 1),
    seatsAvailable: Math.min(seatsTotal, seatsAvailable + 1),
  };
};

function tellRefusal({ events }: Core, error: Error): void {
  if (error instanceof LicenseApiError && isSeatGone(error)) {
    events.emit('seat-lost', { reason: error.code });
  } else events.emit('background-error', error);
}

/** In HONOR_SYSTEM nobody is turned away: the application works on, without a seat. */
function seatOfHonor({ settings, clock }: Core): SeatHandle {
  const seats: Seats = { seatsUsed: 0, seatsTotal: 0, seatsAvailable: 0 };
  const { id: machineId, name: machineName = null } = settings.machine;
  return {
    activation: { machineId, machineName, activatedAt: isoOf(clock.serverNow()) ?? '' },
    seats,
    lost: new Promise(() => undefined),
    extend: async () => undefined,
    release: async () => seats,
  };
}
