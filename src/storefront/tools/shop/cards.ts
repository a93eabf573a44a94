import type { ProductCard } from '#storefront/catalog/products/view.ts';
import type { ShopWords } from './words.ts';

/** A product in a list, in words. */
export interface CardShown {
  readonly href: string;
  readonly title: string;
  readonly brand: string | null;
  readonly price: string;
  readonly was: string | null;
  /** Stands for a picture while there is none. */
  readonly letter: string;
  readonly isOnSale: boolean;
}

export const productHref = (slug: string): string => `/shop/products/${encodeURIComponent(slug)}`;

export function cardShown(card: ProductCard, { t, money }: ShopWords): CardShown {
  const { price_cents: low, price_max_cents: high, compare_at_cents: before, currency } = card;
  const price = money(low, currency);
  const isOnSale = card.badges.includes('sale');
  return {
    href: productHref(card.slug),
    title: card.title,
    brand: card.brand,
    price: high > low ? t('price.from', { price }) : price,
    was: isOnSale && before !== null ? money(before, currency) : null,
    letter: [...card.title][0]?.toUpperCase() ?? '',
    isOnSale,
  };
}
