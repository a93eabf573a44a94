import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import { fill } from '#kernel/extension.ts';
import type { licenseEvents } from '#licensing/contract/events.ts';
import { cartLimits, itemSnapshot, ordersNamed } from '#storefront/contract/extensions.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import type { orderEvents } from '#storefront/orders/orders/index.ts';
import type { returnEvents } from '#storefront/orders/returns/index.ts';

const on = onEventsOf<typeof orderEvents>('store');
const onLicense = onEventsOf<typeof licenseEvents>('license');
const onReturn = onEventsOf<typeof returnEvents>('store');

const settle = () => import('./settle.ts');
const heard = () => import('./heard.ts');

/** What every process does about licenses of orders: a command can bring the money of one, too. */
export const mintingLocal = {
  name: 'license-minting',
  enabledBy: featureSettings.licenses_enabled,
  subscribers: [
    on('order.paid', async (ctx, { subject }) => (await settle()).settleLicenses(ctx, subject)),
    on('order.amended', async (ctx, { subject }) =>
      (await settle()).settleLicenses(ctx, subject, 'contents'),
    ),
    on('order.items_cancelled', async (ctx, { subject }) =>
      (await settle()).settleLicenses(ctx, subject, 'contents'),
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
      if (outcome === 'exchange') await (await heard()).returnExchanged(ctx, orderId, subject);
    }),
    onLicense('LICENSE_CREATED', async (ctx, { subject, data: { details } }) => {
      if (details.orderId !== null && details.source !== 'STOREFRONT')
        await (await import('./by-hand.ts')).noteMadeByHand(ctx, subject);
    }),
  ],
  fills: [
    fill(itemSnapshot, async () => (await import('../grants/index.ts')).licenseSnapshots),
    fill(ordersNamed, async () => (await import('../desk/index.ts')).ordersByKey),
    fill(cartLimits, async () => (await import('../grants/index.ts')).licenseCartLimits),
  ],
} satisfies LocalPart;
