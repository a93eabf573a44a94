import type { Ctx } from '#kernel/context.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { type Aftermath, publish } from '#licensing/publish.ts';
import type { Sides } from '#licensing/sides.ts';
import { type Standing, subjectOf } from '../standing/index.ts';

/** A lease as its events name it. */
export interface SeatHeld {
  id: string;
  machineId: string;
  machineName: string | null;
  leaseExpiresAt: string;
  metadata: JsonObject | null;
}

/** What the audit log has of a machine that was freed: of a lease its end too, so that one row says both. */
export const freed = ({
  machineId,
  leaseExpiresAt,
}: {
  machineId: string;
  leaseExpiresAt: string | null;
}): Sides => ({
  before: { machineId, ...(leaseExpiresAt !== null && { leaseExpiresAt }) },
  after: null,
});

/** SEAT_CHECKED_OUT or SEAT_CHECKED_IN; `seatsUsed` counts the seats in use after the change. */
export const tellSeat = (
  ctx: Ctx,
  type: 'SEAT_CHECKED_OUT' | 'SEAT_CHECKED_IN',
  standing: Standing,
  after: Aftermath,
  { seat, seatsUsed }: { seat: SeatHeld; seatsUsed: number },
): Promise<void> =>
  publish(
    ctx,
    subjectOf(standing),
    after,
    licensingEvent(type, {
      activationId: seat.id,
      machineId: seat.machineId,
      machineName: seat.machineName,
      leaseExpiresAt: seat.leaseExpiresAt,
      metadata: seat.metadata,
      seatsUsed,
      seatsTotal: standing.license.maxActivations,
    }),
  );
