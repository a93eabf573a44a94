import { change, defineEvents } from '#kernel/events.ts';
import { type GiftCard, giftCardRecord } from './record.ts';

type Told = Pick<GiftCard, 'last4' | 'currency'>;
type Moved = Told & { readonly deltaCents: number };

/** What happens to gift cards beside what orders do with them, which their ledger says. */
export const giftCardEvents = defineEvents(
  'store',
  {
    'gift_card.issued': change<Told & { readonly amountCents: number }>(),
    'gift_card.updated': change<Told>(),
    /** Its code is on its way, or was sent once more. */
    'gift_card.delivered': change<Told>(),
    'gift_card.adjusted': change<Moved>(),
    'gift_card.disabled': change<Told>(),
    'gift_card.enabled': change<Told>(),
    'gift_card.expired': change<Moved>(),
    /** A customer attached it to the account. */
    'gift_card.claimed': change<Told>(),
    /** The purchase was refunded. */
    'gift_card.withdrawn': change<Moved>(),
    /** And was not, after all. */
    'gift_card.reinstated': change<Moved>(),
  },
  { target: 'shop-gift-cards', record: giftCardRecord },
);
