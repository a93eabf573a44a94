import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import type { orderEvents } from '#storefront/orders/orders/index.ts';

const on = onEventsOf<typeof orderEvents>('store');

export const downloadsLocal = {
  name: 'shop-downloads',
  subscribers: [
    on('order.paid', async (ctx, { subject }) => (await import('./grants.ts')).grantPaid(ctx, subject)),
    on('order.items_cancelled', async (ctx, { subject }) =>
      (await import('./grants.ts')).revokeRefunded(ctx, subject),
    ),
    on('order.ended', async (ctx, { data: { wasPlaced }, subject }) => {
      if (wasPlaced) await (await import('./grants.ts')).revokeCancelled(ctx, subject);
    }),
  ],
} satisfies LocalPart;
