import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import { fill } from '#kernel/extension.ts';
import type { licenseEvents } from '#licensing/contract/events.ts';
import { cartLimits, itemSnapshot, lineCheck, ordersNamed } from '#storefront/contract/extensions.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import type { orderEvents } from '#storefront/orders/orders/index.ts';

const on = onEventsOf<typeof orderEvents>('store');
const onLicense = onEventsOf<typeof licenseEvents>('license');

const settle = () => import('./settle.ts');

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
