import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import type { orderEvents } from '#storefront/orders/orders/index.ts';
import type { returnEvents } from '#storefront/orders/returns/index.ts';

const on = onEventsOf<typeof orderEvents>('store');
const onReturn = onEventsOf<typeof returnEvents>('store');

const settle = () => import('./settle.ts');
const heard = () => import('./heard.ts');

/**
 * What takes licenses of orders back. It is heard while the shop sells no licenses, too: what was given back stays given
 * back when it does so again.
 */
export const endingLocal = {
  name: 'license-ending',
  subscribers: [
    on('order.amended', async (ctx, { subject }) =>
      (await settle()).settleLicenses(ctx, subject, 'contents'),
    ),
    on('order.items_cancelled', async (ctx, { subject }) =>
      (await settle()).settleLicenses(ctx, subject, 'contents'),
    ),
    on('order.lines_removed', async (ctx, { subject, data: { itemIds } }) =>
      (await heard()).linesRemoved(ctx, subject, itemIds),
    ),
    on('order.ended', async (ctx, { subject, data: { wasPlaced } }) => {
      if (wasPlaced) await (await heard()).orderEnded(ctx, subject);
    }),
    on('order.refunded', async (ctx, { subject, data: { returnId } }) =>
      (await heard()).orderRefunded(ctx, subject, returnId),
    ),
    on('order.disputed', async (ctx, { subject, data }) => (await heard()).orderDisputed(ctx, subject, data)),
    onReturn('return.approved', async (ctx, { subject, data: { orderId } }) =>
      (await heard()).returnApproved(ctx, orderId, subject),
    ),
    onReturn('return.ended', async (ctx, { subject, data: { orderId } }) =>
      (await heard()).returnEnded(ctx, orderId, subject),
    ),
    onReturn('return.settled', async (ctx, { subject, data: { orderId, outcome } }) => {
      const { returnExchanged, returnRefunded } = await heard();
      await (outcome === 'exchange' ? returnExchanged : returnRefunded)(ctx, orderId, subject);
    }),
  ],
} satisfies LocalPart;
