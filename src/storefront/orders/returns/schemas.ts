import { z } from 'zod';
import { flag, integer, oneLine, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { later } from '#kernel/sharing.ts';
import { REFUND_TO } from '../payments/index.ts';
import { CONDITIONS, MOST_NOTE, MOST_PHOTOS, MOST_TEXT, RESOLUTIONS } from './record.ts';

const webAddress = { pattern: /^https?:\/\/[^\s\p{Cc}]+$/u, says: 'an address that starts with https://' };
const id = () => text({ min: 1, max: 30 });
const reason = () => text({ min: 1, max: 500, trim: true });
const list = <S extends z.ZodType>(schema: S) =>
  z.array(schema, { error: 'must be a list' }).max(100, 'has more than 100 entries');

const photos = () => optional(z.array(id(), { error: 'must be a list' }).max(MOST_PHOTOS));

/** Units of a line, as staff send them; programs of customers send the same in snake case. */
export const WantedItem = later(() =>
  z.strictObject({
    orderItemId: id(),
    quantity: integer(1, 999),
    reasonId: id(),
    note: optional(text({ max: MOST_NOTE, trim: true })),
    mediaIds: photos(),
  }),
);

/** A return that staff write for a customer. */
export const ReturnCreate = later(() =>
  z.strictObject({
    orderId: text({ min: 1, max: 40 }),
    items: list(WantedItem).min(1, 'name at least one item'),
    resolution: optional(oneOf(RESOLUTIONS)),
    exchangeVariantId: optional(id()),
    /** Approved at once. */
    approve: optional(flag()),
    /** Also after the time in which customers can ask. */
    isLate: optional(flag()),
  }),
);

/** Approves what was asked for, where it does not say otherwise. */
export const Approving = later(() =>
  z.strictObject({
    items: optional(list(z.strictObject({ id: id(), approvedQuantity: integer(0, 999) }))),
    instructions: optional(text({ min: 1, max: MOST_TEXT, trim: true })),
    labelUrl: optional(text({ min: 1, max: 2000, trim: true, form: webAddress })),
    carrier: optional(text({ min: 1, max: 100, trim: true, form: oneLine })),
    returnBy: optional(timestamp()),
  }),
);

export const Rejecting = z.strictObject({ reason: reason() });
export const Withdrawing = later(() => z.strictObject({ reason: optional(reason()) }));
export const Closing = z.strictObject({ reason: reason() });

/** What has arrived; items that are not named did not. That one is, is judged after the state of the return. */
export const Receiving = later(() =>
  z.strictObject({
    items: list(
      z.strictObject({
        id: id(),
        receivedQuantity: integer(0, 999),
        condition: optional(oneOf(CONDITIONS)),
        restock: optional(flag()),
      }),
    ),
  }),
);

/** Gives back what has arrived; without a fee that of the settings is kept. */
export const Refunding = later(() =>
  z.strictObject({
    restockingFeeCents: optional(integer(0, MAX_AMOUNT_CENTS)),
    shippingCents: optional(integer(0, MAX_AMOUNT_CENTS)),
    to: optional(oneOf(REFUND_TO)),
  }),
);

export const Messaging = z.strictObject({
  body: text({ min: 1, max: MOST_TEXT, trim: true }),
  internal: optional(flag()),
});

const label = () => text({ min: 1, max: 200, trim: true, form: oneLine });

export const ReasonCreate = later(() =>
  z.strictObject({
    label: label(),
    requiresNote: optional(flag()),
    requiresPhoto: optional(flag()),
    active: optional(flag()),
  }),
);
export const ReasonUpdate = later(() =>
  z.strictObject({
    label: optional(label()),
    requiresNote: optional(flag()),
    requiresPhoto: optional(flag()),
    active: optional(flag()),
    position: optional(integer(0, 10_000)),
  }),
);

/** As customers ask for it: unknown fields are ignored (storefront-settled Z2). */
export const ReturnBody = later(() =>
  z
    .object({
      order_number: text({ min: 1, max: 40 }),
      items: list(
        z.object({
          order_item_id: id(),
          quantity: integer(1, 999),
          reason_id: id(),
          note: optional(text({ max: MOST_NOTE, trim: true })),
          media_ids: photos(),
        }),
      ).min(1, 'name at least one item'),
      resolution: oneOf(RESOLUTIONS),
      exchange_variant_id: optional(id()),
    })
    .meta({ id: 'ReturnBody' }),
);

export const ShippingBody = later(() =>
  z
    .object({
      carrier: text({ min: 1, max: 100, trim: true, form: oneLine }),
      tracking_number: text({ min: 1, max: 200, trim: true, form: oneLine }),
    })
    .meta({ id: 'ReturnShippingBody' }),
);

export const MessageBody = later(() =>
  z
    .object({ body: text({ min: 1, max: MOST_TEXT, trim: true }), media_ids: photos() })
    .meta({ id: 'ReturnMessageBody' }),
);
