import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';

export const TRIED_BY = ['email', 'ip', 'card'] as const;
export type TriedBy = (typeof TRIED_BY)[number];

/** What an email address, a network address or a card has tried lately. Whose row it is only a digest says. */
export const paymentTryRecord = record(
  'payment_tries',
  {
    key: column.text(64, 64),
    kind: column.choice(TRIED_BY),
    points: column.integer(0),
    declines: column.integer(0),
    /** Tries beyond the limit: nothing was charged. */
    refused: column.integer(0),
    /** The window opens with the first try. */
    endsAt: column.time(),
    createdAt: column.time(),
  },
  { key: ['key'], kept: [{ as: 'paymentTries', by: 'endsAt', days: 7 }] },
);
export type PaymentTry = ValuesOf<typeof paymentTryRecord>;
