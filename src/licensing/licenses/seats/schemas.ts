import { z } from 'zod';
import { count, instant, integer, optional, text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { later } from '#kernel/sharing.ts';
import { keyedBody, machineIdField, nonceField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { SeatMetadata } from '#licensing/contract/replies.ts';

/** Body of checkout. */
export const CheckoutBody = keyedBody('key', {
  machineId: machineIdField(),
  machineName: optional(text({ max: bounds.machineName })),
  /** Seconds; absent asks for the default (D73). */
  leaseDuration: optional(integer(bounds.leaseSeconds.min, bounds.leaseSeconds.max)),
  metadata: optional(jsonObject(bounds.metadata)),
  nonce: optional(nonceField()),
}).meta({ id: 'CheckoutBody' });
export type CheckoutInput = z.output<typeof CheckoutBody>;

/** Body of checkin. */
export const CheckinBody = keyedBody('key', {
  machineId: machineIdField(),
  nonce: optional(nonceField()),
}).meta({ id: 'CheckinBody' });
export type CheckinInput = z.output<typeof CheckinBody>;

const seats = { seatsUsed: count(), seatsTotal: count(), seatsAvailable: count() };

/** Reply of checkout; the surface adds `success`. */
export const CheckoutReply = later(() =>
  z
    .object({
      message: z.string(),
      activation: z.object({
        id: z.string(),
        machineId: z.string(),
        leaseExpiresAt: instant(),
        metadata: SeatMetadata,
      }),
      ...seats,
      nonce: z.string().optional(),
    })
    .meta({ id: 'CheckedOut' }),
);

/** Reply of checkin (D76); the surface adds `success`. */
export const CheckinReply = later(() =>
  z.object({ message: z.string(), ...seats, nonce: z.string().optional() }).meta({ id: 'CheckedIn' }),
);
