import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import type { orderEvents } from '#storefront/orders/orders/index.ts';

const on = onEventsOf<typeof orderEvents>('store');

export const cartLocal = {
  name: 'shop-cart',
  subscribers: [
    on('order.placed', async (ctx, { data: { cartId } }) => {
      if (cartId !== null) await (await import('./repository.ts')).convert(ctx, cartId);
    }),
    on('order.ended', async (ctx, { data: { cartId, wasPlaced }, subject }) => {
      if (cartId !== null && !wasPlaced) await (await import('./repository.ts')).free(ctx, cartId, subject);
    }),
  ],
} satisfies LocalPart;
