import { moneyWords } from '#kernel/money-words.ts';
import type { StoreProduct } from '#storefront/catalog/products/view.ts';
import { card } from '../card.ts';
import type { Paint } from '../frame/io.ts';
import type { Column } from '../frame/rows.ts';

export type { StoreProduct };

type Priced = Pick<StoreProduct, 'price_cents' | 'price_max_cents' | 'currency'>;

/** `$19.00`, or `$19.00 – $24.00`; empty without variants. */
function priceOf({ price_cents: low, price_max_cents: high, currency }: Priced): string {
  if (low === null || high === null || currency === null) return '';
  const shown = (amountCents: number) => moneyWords({ amountCents, currency }, 'en');
  return low === high ? shown(low) : `${shown(low)} – ${shown(high)}`;
}

export const productColumns: readonly Column<StoreProduct>[] = [
  { key: 'id' },
  { key: 'slug' },
  { key: 'title' },
  { key: 'status' },
  { key: 'type' },
  { key: 'price_cents', title: 'price', text: priceOf, align: 'right' },
  { key: 'variants', align: 'right', text: ({ variants }) => String(variants.length) },
  { key: 'tags', text: ({ tags }) => tags.join(', ') },
  { key: 'updated_at', title: 'updated', time: true },
];

/** A product as a person reads it: its own fields, then a line for each variant. */
export function productCard(product: StoreProduct): (paint: Paint) => string {
  const { options, variants, media, seo } = product;
  return card([
    ['id', product.id],
    ['title', product.title],
    ['slug', product.slug],
    ['status', product.status],
    ['type', product.type],
    ['price', priceOf(product)],
    ['brand', product.brand],
    ['summary', product.short_description],
    ['categories', product.categories.map(({ name }) => name)],
    ['collections', product.collections.map(({ name }) => name)],
    ['tags', product.tags],
    ['shown from', product.publish_at],
    ['page title', seo.title],
    ...options.map(({ name, values }) => [name, values.map(({ value }) => value)] as const),
    ...variants.map((one) => [one.sku, variantLine(one)] as const),
    ['pictures', media.length],
    ['updated', product.updated_at],
  ]);
}

const variantLine = ({
  title,
  price_cents: amountCents,
  currency,
}: StoreProduct['variants'][number]): string => `${title}  ${moneyWords({ amountCents, currency }, 'en')}`;
