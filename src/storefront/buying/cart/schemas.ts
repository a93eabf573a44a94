import { z } from 'zod';
import { integer, oneLine, optional, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { AddressBody } from '#storefront/contract/address.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import { MOST_NOTE, MOST_UNITS } from './record.ts';

const id = () => text({ min: 1, max: 30 });
const code = () => text({ min: 1, max: 100, trim: true });

const name = () => text({ max: 100, trim: true, form: oneLine });

export const GiftCardBody = later(() =>
  z.object({
    amount_cents: integer(1, 100_000_000_000),
    recipient_email: optional(shopperEmail()),
    recipient_name: optional(name()),
    sender_name: optional(name()),
    message: optional(text({ max: MOST_NOTE, trim: true })),
    send_at: optional(timestamp()),
  }),
);

export const AddBody = later(() =>
  z
    .object({
      variant_id: id(),
      quantity: optional(integer(1, MOST_UNITS)),
      gift_card: optional(GiftCardBody),
    })
    .meta({ id: 'CartAddBody' }),
);
export type AddInput = z.output<typeof AddBody>;

/** A line: by its id, or by its variant when the cart has exactly one line of it. */
const lineShape = { item_id: optional(id()), variant_id: optional(id()) };
export interface LineNamed {
  readonly item_id?: string | undefined;
  readonly variant_id?: string | undefined;
}

export const UpdateBody = later(() =>
  z.object({ ...lineShape, quantity: integer(0, MOST_UNITS) }).meta({ id: 'CartUpdateBody' }),
);
export const RemoveBody = z.object(lineShape).meta({ id: 'CartRemoveBody' });
export const CodeBody = z.object({ code: code() }).meta({ id: 'CartCodeBody' });
export const GiftCardRemoveBody = z.object({ gift_card_id: id() }).meta({ id: 'CartGiftCardRemoveBody' });
export const NoteBody = later(() =>
  z
    .object({
      note: optional(text({ max: MOST_NOTE, trim: true })),
      gift_message: optional(text({ max: MOST_NOTE, trim: true })),
    })
    .meta({ id: 'CartNoteBody' }),
);
export const EstimateBody = later(() =>
  AddressBody.pick({ country: true, state: true, postal_code: true }).meta({
    id: 'CartEstimateBody',
  }),
);
