import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import type { shopProductEvents } from '#storefront/catalog/products/events.ts';

/** What every process knows of prices: a copied product costs what the other one does, by the quantity too. */
export const priceListsLocal = {
  name: 'shop-price-lists',
  subscribers: [
    onEventsOf<typeof shopProductEvents>('store')('product.duplicated', async (ctx, { data }) => {
      const { copyTiers } = await import('./prices.ts');
      for (const { from, to } of data.variants) await copyTiers(ctx, from, to);
    }),
  ],
} satisfies LocalPart;
