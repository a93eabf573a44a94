import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import { fill } from '#kernel/extension.ts';
import type { licenseEvents } from '#licensing/contract/events.ts';
import { cartLimits, itemSnapshot, lineCheck, ordersNamed } from '#storefront/contract/extensions.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import type { orderEvents } from '#storefront/orders/orders/index.ts';
import type { returnEvents } from '#storefront/orders/returns/index.ts';

const on = onEventsOf<typeof orderEvents>('store');
const onLicense = onEventsOf<typeof licenseEvents>('license');
const onReturn = onEventsOf<typeof returnEvents>('store');

const settle = () => import('./settle.ts');
const heard = () => import('./heard.ts');

/** What makes licenses of orders, in every process: a command can bring the money of one, too. */
export const mintingLocal = {
  name: 'license-minting',
  enabledBy: featureSettings.licenses_enabled,
  subscribers: [
    on('order.paid', async (ctx, { subject }) => (await settle()).settleLicenses(ctx, subject)),
    // Money for what staff added to an order that was paid before.
    on('order.money', async (ctx, { subject }) => (await settle()).settleLicenses(ctx, subject, 'contents')),
    onLicense('LICENSE_CREATED', async (ctx, { subject, data: { details } }) => {
      if (details.orderId !== null && details.source !== 'STOREFRONT')
        await (await import('./by-hand.ts')).noteMadeByHand(ctx, subject);
    }),
  ],
  fills: [
    fill(itemSnapshot, async () => (await import('../grants/index.ts')).licenseSnapshots),
    fill(lineCheck, async () => (await import('../renewals/index.ts')).requireRenewable),
    fill(ordersNamed, async () => (await import('../desk/index.ts')).ordersByKey),
    fill(cartLimits, async () => (await import('../grants/index.ts')).licenseCartLimits),
  ],
} satisfies LocalPart;

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
