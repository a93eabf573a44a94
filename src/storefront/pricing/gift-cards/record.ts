import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { ids } from '#storefront/contract/ids.ts';

/** `redeemed`: nothing is left, and money may come back. */
export const STATUSES = ['pending', 'active', 'disabled', 'redeemed', 'expired'] as const;
export const ENTRY_TYPES = ['issue', 'redeem', 'refund', 'adjust', 'expire', 'reverse'] as const;
export const HOLD_STATUSES = ['held', 'spent', 'released'] as const;

export const MOST_MESSAGE = 1000;
export const MOST_NOTE = 500;

const cents = (least: number) => column.integer(least, MAX_AMOUNT_CENTS);
const gone = () => null;

/** Money that a code pays with (storefront-domain 4.9). */
export const giftCardRecord = record(
  'gift_cards',
  {
    id: column.id(ids.giftCard),
    /** Keyed digest of the code. */
    codeHash: column.text(100, 1).secret(),
    /** The code itself, until it has reached somebody. */
    codeSealed: column.text(500).nullable().secret(),
    last4: column.text(4, 4),
    currency: column.text(3, 3),
    initialCents: cents(1),
    balanceCents: cents(0),
    /** What orders hold that are not settled yet. */
    heldCents: cents(0),
    status: column.choice(STATUSES),
    expiresAt: column.time().nullable(),
    /** The order item that it was bought with. */
    orderItemId: column.text(30, 1).nullable(),
    purchaserCustomerId: column.text(30, 1).nullable(),
    ownerCustomerId: column.text(30, 1).nullable(),
    recipientEmail: column.text(255, 3).nullable().personal(gone),
    recipientName: column.text(100, 1).nullable().personal(gone),
    senderName: column.text(100, 1).nullable().personal(gone),
    message: column.text(MOST_MESSAGE, 1).nullable().personal(gone),
    /** Language in which it is mailed. */
    locale: column.text(20, 1).nullable(),
    /** Until then it is kept back. */
    sendAt: column.time().nullable(),
    deliveredAt: column.time().nullable(),
    note: column.text(MOST_NOTE, 1).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    whose: {
      ids: { purchaserCustomerId: 'customers', ownerCustomerId: 'customers' },
      email: 'recipientEmail',
      // Nobody has got it yet.
      needed: { status: ['pending'] },
    },
  },
);
export type GiftCard = ValuesOf<typeof giftCardRecord>;

/** A change of a balance: rows are added and never changed, and the balance is their sum. */
export const giftCardEntryRecord = record('gift_card_ledger', {
  id: column.id(ids.giftCardEntry),
  giftCardId: column.id(ids.giftCard).references('gift_cards'),
  deltaCents: column.integer(-MAX_AMOUNT_CENTS, MAX_AMOUNT_CENTS),
  balanceAfterCents: cents(0),
  type: column.choice(ENTRY_TYPES),
  orderId: column.text(30, 1).nullable(),
  refundId: column.text(30, 1).nullable(),
  /** Who did it, by name. */
  actor: column.text(255, 1),
  note: column.text(MOST_NOTE, 1).nullable(),
  createdAt: column.time(),
});
export type GiftCardEntry = ValuesOf<typeof giftCardEntryRecord>;

/** What an order has taken of a card. */
export const giftCardHoldRecord = record(
  'gift_card_holds',
  {
    id: column.id(ids.giftCardHold),
    giftCardId: column.id(ids.giftCard).references('gift_cards'),
    orderId: column.text(30, 1),
    amountCents: cents(1),
    status: column.choice(HOLD_STATUSES),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['giftCardId', 'orderId'] },
);
export type GiftCardHold = ValuesOf<typeof giftCardHoldRecord>;
