import { defineEvents, event, signal } from '#kernel/events.ts';
import { type Product, shopProductRecord } from './record.ts';

type Told = Pick<Product, 'slug' | 'title' | 'status'>;

/** What happens to products of the shop, by the names that webhooks know (storefront-domain 18). */
export const shopProductEvents = defineEvents(
  'store',
  {
    'product.created': event<Told>(),
    'product.updated': event<Told>(),
    /** `archived`: it stands in orders and was archived in place of being deleted. */
    'product.deleted': event<{ id: string; slug: string; archived: boolean }>(),
    /** Variants of a copy with those that they were made like: what other capabilities keep of them is copied too. */
    'product.duplicated': signal<{ variants: readonly { from: string; to: string }[] }>(),
  },
  { target: 'shop-products', record: shopProductRecord },
);
