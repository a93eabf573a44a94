import { z } from 'zod';
import { flag, integer, oneLine, optional, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

const webAddress = { pattern: /^https?:\/\/[^\s\p{Cc}]+$/u, says: 'an address that starts with https://' };
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();

/** The customer is written to when it leaves, unless it says no. */
const notify = () => optional(flag());

const tracking = {
  carrier: orNull(text({ min: 1, max: 100, trim: true, form: oneLine })),
  service: orNull(text({ min: 1, max: 100, trim: true, form: oneLine })),
  trackingNumber: orNull(text({ min: 1, max: 200, trim: true, form: oneLine })),
  trackingUrl: orNull(text({ min: 1, max: 2000, trim: true, form: webAddress })),
};

/** Input that makes a shipment; without items it has all that is left to ship. */
export const ShipmentCreate = later(() =>
  z.strictObject({
    items: optional(
      z
        .array(z.strictObject({ orderItemId: text({ min: 1, max: 30 }), quantity: integer(1, 999) }), {
          error: 'must be a list',
        })
        .min(1)
        .max(500),
    ),
    ...tracking,
    shipNow: optional(flag()),
    notify: notify(),
  }),
);

/** Input that changes how a shipment is followed: absent leaves a field, null clears it. */
export const ShipmentUpdate = z.strictObject(tracking);
export const Shipping = z.strictObject({ notify: notify() });
export const Delivering = later(() => z.strictObject({ deliveredAt: optional(timestamp()) }));
export const ShipmentCancelling = later(() =>
  z.strictObject({
    reason: optional(text({ min: 1, max: 500, trim: true })),
  }),
);
