import { z } from 'zod';
import { flag, integer, oneLine, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { later } from '#kernel/sharing.ts';
import type { AddressSent } from '#storefront/contract/address.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import { OFFLINE_METHODS, REFUND_TO } from '../payments/index.ts';
import { AGAIN } from './send-again.ts';

const reason = () => text({ min: 1, max: 500, trim: true });
const line = (max: number) => text({ min: 1, max, trim: true, form: oneLine });

/** An address; what is required depends on its country. */
const OrderAddressInput = later(() =>
  z.strictObject({
    firstName: optional(line(100)),
    lastName: optional(line(100)),
    /** In place of the two names. */
    name: optional(line(200)),
    company: optional(line(200)),
    line1: optional(line(200)),
    line2: optional(line(200)),
    city: optional(line(100)),
    state: optional(line(100)),
    postalCode: optional(line(20)),
    country: optional(line(2)),
    phone: optional(line(50)),
  }),
);

export type OrderAddressSent = z.output<typeof OrderAddressInput>;

/** An address as the rest of the shop takes it. */
export const addressSent = ({ firstName, lastName, postalCode, ...same }: OrderAddressSent): AddressSent => ({
  ...same,
  first_name: firstName,
  last_name: lastName,
  postal_code: postalCode,
});
/** The customer is written to, unless it says no. */
const notify = () => optional(flag());

/** What staff change of an order by themselves: absent leaves it, null clears it. */
export const OrderUpdate = later(() =>
  z.strictObject({
    email: optional(shopperEmail()),
    shippingAddress: optional(OrderAddressInput),
    billingAddress: optional(OrderAddressInput),
    tags: optional(z.array(line(50), { error: 'must be a list of texts' }).max(50)),
    internalNote: text({ min: 1, max: 5000, trim: true }).nullable().optional(),
  }),
);

export const Cancelling = later(() =>
  z.strictObject({
    reason: reason(),
    /** `full`: what was paid goes back to where it came from; none when absent. */
    refund: optional(oneOf(['none', 'full'])),
    /** Goods go back into the store, unless it says no. */
    restock: optional(flag()),
    notify: notify(),
  }),
);

export const Holding = z.strictObject({ reason: reason() });
export const Rejecting = z.strictObject({ reason: reason() });
export const Completing = z.strictObject({ force: optional(flag()) });
export const Noting = later(() =>
  z.strictObject({
    body: text({ min: 1, max: 5000, trim: true }),
    visibleToCustomer: optional(flag()),
  }),
);

/** Money that arrived outside of any processor. */
export const PaymentReceived = later(() =>
  z.strictObject({
    amountCents: integer(1, MAX_AMOUNT_CENTS),
    method: oneOf(OFFLINE_METHODS),
    reference: optional(line(80)),
    receivedAt: optional(timestamp()),
  }),
);

/** The whole of what was authorized when absent. */
export const Capturing = later(() => z.strictObject({ amountCents: optional(integer(1, MAX_AMOUNT_CENTS)) }));

export const RefundCreate = later(() =>
  z.strictObject({
    items: optional(
      z
        .array(z.strictObject({ orderItemId: text({ min: 1, max: 30 }), quantity: integer(1, 999) }), {
          error: 'must be a list',
        })
        .max(500),
    ),
    shippingCents: optional(integer(0, MAX_AMOUNT_CENTS)),
    adjustmentCents: optional(integer(0, MAX_AMOUNT_CENTS)),
    to: optional(oneOf(REFUND_TO)),
    restock: optional(flag()),
    reason: reason(),
    notify: notify(),
  }),
);

/** Which email of an order is sent once more. */
export const SendingAgain = z.strictObject({ template: oneOf(AGAIN) });
