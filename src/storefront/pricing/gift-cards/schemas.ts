import { z } from 'zod';
import { email, flag, integer, oneLine, optional, report, text, timestamp } from '#kernel/http/fields.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { later } from '#kernel/sharing.ts';
import { MOST_MESSAGE, MOST_NOTE } from './record.ts';

const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();
const name = () => text({ min: 1, max: 100, trim: true, form: oneLine });
const reason = () => text({ min: 1, max: MOST_NOTE, trim: true });

const changeable = {
  recipientEmail: orNull(email()),
  recipientName: orNull(name()),
  message: orNull(text({ min: 1, max: MOST_MESSAGE, trim: true })),
  /** null: never. */
  expiresAt: orNull(timestamp()),
  note: orNull(text({ min: 1, max: MOST_NOTE, trim: true })),
};

/** Input that issues a card by hand. */
export const GiftCardCreate = z
  .strictObject({
    amountCents: integer(1, MAX_AMOUNT_CENTS),
    ...changeable,
    /** Mails the code to the recipient. */
    send: optional(flag()),
    /** And not before this time, until which the card cannot be used. */
    sendAt: optional(timestamp()),
  })
  .check((checked) => {
    const { send, sendAt, recipientEmail } = checked.value;
    if ((send || sendAt) && !recipientEmail)
      report(checked, 'required', 'is required to send the card', ['recipientEmail']);
  });
export type GiftCardCreateInput = z.output<typeof GiftCardCreate>;

/** Input that changes a card: absent leaves a field, null clears it. */
export const GiftCardUpdate = z.strictObject(changeable);
export type GiftCardUpdateInput = z.output<typeof GiftCardUpdate>;

export const Disabling = z.strictObject({ reason: reason() });

/** Whom a code is mailed to, and whether it is a new one. */
export const Resend = z.strictObject({ email: optional(email()), rotateCode: optional(flag()) });
export type ResendInput = z.output<typeof Resend>;

/** By how much a balance changes; a minus takes away. */
export const GiftCardAdjustment = later(() =>
  z
    .strictObject({ deltaCents: integer(-MAX_AMOUNT_CENTS, MAX_AMOUNT_CENTS), reason: reason() })
    .check((checked) => {
      if (checked.value.deltaCents === 0) report(checked, 'invalid', 'must not be 0', ['deltaCents']);
    }),
);
export type GiftCardAdjustmentInput = z.output<typeof GiftCardAdjustment>;

/** A code as somebody types it: what cannot be one is refused as an unknown one is. */
export const TypedCode = later(() =>
  z.object({ code: text({ min: 1, max: 1000 }), pin: optional(text({ max: 100 })) }),
);
