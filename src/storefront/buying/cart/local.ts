import type { LocalPart } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { onEventsOf } from '#kernel/events.ts';
import { fill } from '#kernel/extension.ts';
import { mailBlocks, orderFiles } from '#storefront/contract/extensions.ts';
import type { orderEvents } from '#storefront/orders/orders/index.ts';
import type { returnEvents } from '#storefront/orders/returns/index.ts';
import type { shopCustomerEvents } from '#storefront/people/customers/index.ts';

const on = onEventsOf<typeof orderEvents>('store');
const onReturn = onEventsOf<typeof returnEvents>('store');
const onCustomer = onEventsOf<typeof shopCustomerEvents>('store');

/** Groups with a rule take in whoever has changed, or leave them out. */
const settle = async (ctx: Ctx, { subject }: { readonly subject: string }): Promise<void> =>
  (await import('#storefront/people/groups/index.ts')).settleCustomer(ctx, subject);

/** Files that are bought (decision 0099). */
const downloads = () => import('../downloads/index.ts');

/**
 * What the wing hears: of returns, exchanges and downloads, too, since each file of this kind is read by every short
 * command.
 */
export const cartLocal = {
  name: 'shop-cart',
  fills: [
    fill(orderFiles, async () => (await downloads()).filesOfOrder),
    fill(mailBlocks, async () => (await downloads()).filesInMails),
  ],
  subscribers: [
    on('order.placed', async (ctx, { data: { cartId } }) => {
      if (cartId !== null) await (await import('./repository.ts')).convert(ctx, cartId);
    }),
    on('order.paid', async (ctx, { subject }) => (await downloads()).grantPaid(ctx, subject)),
    on('order.amended', async (ctx, { subject }) => (await downloads()).grantAmended(ctx, subject)),
    on('order.money', async (ctx, { subject }) => (await downloads()).grantAmended(ctx, subject)),
    on('order.lines_removed', async (ctx, { data: { itemIds } }) =>
      (await downloads()).forgetLines(ctx, itemIds),
    ),
    on('order.items_cancelled', async (ctx, { subject }) => (await downloads()).revokeRefunded(ctx, subject)),
    on('order.ended', async (ctx, { data: { cartId, wasPlaced }, subject }) => {
      if (wasPlaced) await (await downloads()).revokeAll(ctx, subject);
      await (await import('#storefront/orders/returns/index.ts')).orderEnded(ctx, subject, wasPlaced);
      if (cartId !== null && !wasPlaced) await (await import('./repository.ts')).free(ctx, cartId, subject);
    }),
    on('order.refunded', async (ctx, { subject }) => (await downloads()).revokeRefunded(ctx, subject)),
    on('order.disputed', async (ctx, { subject, data: { how } }) => {
      if (how === 'lost') await (await downloads()).revokeAll(ctx, subject);
    }),
    on('order.refund_failed', async (ctx, { data: { returnId } }) => {
      if (returnId === null) return;
      await (await import('#storefront/orders/returns/index.ts')).refundRefused(ctx, returnId);
    }),
    onReturn('return.settled', async (ctx, { subject, data: { outcome } }) => {
      if (outcome === 'exchange') await (await downloads()).revokeExchanged(ctx, subject);
    }),
    onCustomer('customer.created', settle),
    onCustomer('customer.updated', settle),
    onCustomer('customer.guest_changed', settle),
  ],
} satisfies LocalPart;
