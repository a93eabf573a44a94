import { z } from 'zod';
import { flag, integer, oneLine, oneOf, optional, text } from '#kernel/http/fields.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { AddressBody, addressOf } from '#storefront/contract/address.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import { type EditInput, SETTLES } from './edit.ts';
import { MOST_LINES } from './lines.ts';
import type { Placing, StaffOrder } from './staff-orders.ts';

const MOST_DISCOUNTS = 10;
const MOST_UNITS = 999;

const id = () => text({ min: 1, max: 30 });
const cents = () => integer(0, MAX_AMOUNT_CENTS);
const list = <S extends z.ZodType>(schema: S, most = MOST_LINES) =>
  z.array(schema, { error: 'must be a list' }).max(most, `has more than ${most} entries`);

const NewLine = z.object({
  variant_id: id(),
  quantity: integer(1, MOST_UNITS),
  unit_cents: optional(cents()).describe("Unit price instead of the shop's price"),
});

const Discount = later(() =>
  z.object({
    code: optional(text({ min: 1, max: 100, trim: true })).describe('Code of a promotion'),
    label: optional(text({ min: 1, max: 255, trim: true, form: oneLine })),
    amount_cents: optional(integer(1, MAX_AMOUNT_CENTS)).describe(
      'Discount on the items, in addition to promotions',
    ),
  }),
);

export const StaffOrderBody = later(() =>
  z
    .object({
      customer_id: optional(id()),
      email: optional(shopperEmail()).describe('Required without customer_id'),
      phone: optional(text({ max: 50, trim: true, form: oneLine })),
      items: list(NewLine).min(1, 'needs at least one item'),
      shipping_address: optional(AddressBody),
      billing_address: optional(AddressBody).describe('Defaults to the shipping address'),
      shipping_method_id: optional(id()),
      shipping_cents: optional(cents()).describe('Shipping price instead of the price of the method'),
      discounts: optional(list(Discount, MOST_DISCOUNTS)),
      draft: optional(flag()).describe('Keeps it a draft: it reserves no stock and has no number'),
      send_payment_link: optional(flag()).describe(
        'Emails a payment link; otherwise it is paid later, offline',
      ),
      note: optional(text({ max: 1000, trim: true })),
    })
    .meta({ id: 'StaffOrderBody' }),
);

export const PlaceOrderBody = later(() =>
  z
    .object({
      payment: oneOf(['link', 'offline', 'on_account', 'saved_method']).describe(
        'on_account and saved_method are not available yet',
      ),
      expected_total_cents: optional(cents()),
    })
    .meta({ id: 'OrderPlaceBody' }),
);

const editShape = {
  add: optional(list(NewLine)),
  update: optional(
    list(
      z.object({
        order_item_id: id(),
        quantity: optional(integer(1, MOST_UNITS)),
        unit_cents: optional(cents()),
      }),
    ),
  ),
  remove: optional(list(id())).describe('IDs of items'),
  shipping_cents: optional(cents()),
};
export const EditPreviewBody = z.object(editShape).meta({ id: 'OrderEditPreviewBody' });
export const EditBody = later(() =>
  z
    .object({
      ...editShape,
      settle: optional(oneOf(SETTLES)).describe('How to handle the difference; none by default'),
      expected_total_cents: optional(cents()),
    })
    .meta({ id: 'OrderEditBody' }),
);

type Line = z.output<typeof NewLine>;
const lineOf = ({ variant_id: variantId, quantity, unit_cents: unitCents }: Line) => ({
  variantId,
  quantity,
  unitCents,
});

/** @throws AppError VALIDATION_ERROR for a discount that is neither a code nor an amount, and for a draft with a link */
export function staffOrderOf(body: z.output<typeof StaffOrderBody>): StaffOrder {
  const { discounts = [], shipping_address: shipping, billing_address: billing } = body;
  for (const [at, { code, amount_cents: amount }] of discounts.entries())
    if ((code === undefined) === (amount === undefined))
      throw invalidField(`discounts.${at}`, 'must have either a code or amount_cents');
  if (body.draft && body.send_payment_link)
    throw invalidField('send_payment_link', 'cannot be used with draft: place the draft with a payment link');
  return {
    customerId: body.customer_id,
    email: body.email,
    phone: body.phone || undefined,
    items: body.items.map(lineOf),
    shipping: shipping ? addressOf(shipping, 'shipping_address') : null,
    billing: billing ? addressOf(billing, 'billing_address') : null,
    shippingMethodId: body.shipping_method_id,
    shippingCents: body.shipping_cents,
    codes: discounts.flatMap(({ code }) => code ?? []),
    manual: discounts.flatMap(({ label = 'Discount', amount_cents: amountCents }) =>
      amountCents === undefined ? [] : [{ label, amountCents }],
    ),
    note: body.note || undefined,
    payment: body.draft ? null : body.send_payment_link ? 'link' : 'offline',
  };
}

const NOT_YET = {
  on_account: 'on_account is not available yet: use link, or offline',
  saved_method: 'saved_method is not available yet: use link, or offline',
};

/** @throws AppError VALIDATION_ERROR for a way to pay that this version does not have */
export function placingOf(body: z.output<typeof PlaceOrderBody>): Placing {
  const { payment, expected_total_cents: expectedTotalCents } = body;
  if (payment === 'on_account' || payment === 'saved_method') throw invalidField('payment', NOT_YET[payment]);
  return { payment, expectedTotalCents };
}

export const editOf = (body: z.output<typeof EditBody>): EditInput => ({
  add: body.add?.map(lineOf),
  update: body.update?.map(({ order_item_id: orderItemId, quantity, unit_cents: unitCents }) => ({
    orderItemId,
    quantity,
    unitCents,
  })),
  remove: body.remove,
  shippingCents: body.shipping_cents,
  settle: body.settle,
  expectedTotalCents: body.expected_total_cents,
});
