import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import type { orderEvents } from '../orders/index.ts';

const on = onEventsOf<typeof orderEvents>('store');

export const returnsLocal = {
  name: 'shop-returns',
  subscribers: [
    on('order.ended', async (ctx, { subject, data: { wasPlaced } }) => {
      const { cancelOf, exchangeEnded } = await import('./index.ts');
      await exchangeEnded(ctx, subject);
      if (wasPlaced) await cancelOf(ctx, subject);
    }),
    on('order.refund_failed', async (ctx, { data: { returnId } }) => {
      if (returnId !== null) await (await import('./index.ts')).refundRefused(ctx, returnId);
    }),
  ],
} satisfies LocalPart;
