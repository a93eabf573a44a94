import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import type { orderEvents } from '../orders/events.ts';

const on = onEventsOf<typeof orderEvents>('store');

/** Gift cards are issued in the transaction that has the last of the money for them. */
export const giftCardSalesLocal = {
  name: 'shop-gift-card-sales',
  subscribers: [
    on('order.paid', async (ctx, { subject }) => {
      await (await import('./gift-card-sales.ts')).issueBought(ctx, subject);
    }),
  ],
} satisfies LocalPart;
