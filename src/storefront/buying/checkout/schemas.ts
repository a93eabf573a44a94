import { z } from 'zod';
import { flag, integer, oneLine, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { AddressBody } from '#storefront/contract/address.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';

export const phone = () =>
  optional(
    text({
      max: 50,
      trim: true,
      form: oneLine,
    }),
  );
const cents = () => optional(integer(0, 100_000_000_000));

export const ContactBody = later(() =>
  z
    .object({ email: shopperEmail(), phone: phone(), accepts_marketing: optional(flag()) })
    .meta({ id: 'CheckoutContactBody' }),
);

export const AddressesBody = later(() =>
  z
    .object({
      shipping_address: optional(AddressBody),
      billing_address: optional(AddressBody),
      same_as_shipping: optional(flag()),
      address_id: optional(text({ min: 1, max: 30 })).describe(
        "An address from the customer's address book, instead of shipping_address",
      ),
      save: optional(flag()).describe("Saves the shipping address in the customer's address book"),
    })
    .meta({ id: 'CheckoutAddressesBody' }),
);

export const MethodBody = z
  .object({ method_id: text({ min: 1, max: 30 }) })
  .meta({ id: 'CheckoutShippingMethodBody' });

const orderShape = {
  email: optional(shopperEmail()),
  phone: phone(),
  accepts_marketing: optional(flag()),
  shipping_address: optional(AddressBody),
  billing_address: optional(AddressBody),
  same_as_shipping: optional(flag()),
  shipping_method_id: optional(text({ min: 1, max: 30 })),
  processor: optional(text({ min: 1, max: 30 })),
  note: optional(text({ max: 1000, trim: true })),
  expected_total_cents: cents(),
  terms_accepted: optional(flag()),
  save_payment_method: optional(flag()),
};

export const ValidateBody = z.object(orderShape).meta({ id: 'CheckoutValidateBody' });
export const PlaceBody = later(() =>
  z
    .object({
      ...orderShape,
      source_id: optional(text({ min: 1, max: 500 })),
      payment_method_id: optional(text({ min: 1, max: 30 })),
    })
    .meta({ id: 'PlaceOrderBody' }),
);
export type PlaceSent = z.output<typeof PlaceBody>;

const orderNumber = () => text({ min: 1, max: 40 });
export const ConfirmBody = later(() =>
  z
    .object({ order_number: orderNumber(), payment_id: text({ min: 1, max: 30 }) })
    .meta({ id: 'CheckoutConfirmBody' }),
);
export const RetryBody = later(() =>
  z
    .object({
      order_number: orderNumber(),
      processor: text({ min: 1, max: 30 }),
      source_id: optional(text({ min: 1, max: 500 })),
      payment_method_id: optional(text({ min: 1, max: 30 })),
      expected_total_cents: cents(),
    })
    .meta({ id: 'CheckoutRetryBody' }),
);
