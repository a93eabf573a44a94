import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import type { orderEvents } from '#storefront/orders/orders/index.ts';

const on = onEventsOf<typeof orderEvents>('store');

/** What changes the figures of an order; what is shipped or completed does not. */
const CHANGING = ['order.placed', 'order.updated', 'order.cancelled', 'order.money', 'order.moved'] as const;

export const reportsLocal = {
  name: 'shop-reports',
  subscribers: CHANGING.map((name) =>
    on(name, async (ctx, { subject }) => (await import('./repository.ts')).noteChange(ctx, subject)),
  ),
} satisfies LocalPart;
