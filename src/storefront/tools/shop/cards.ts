import type { ProductCard } from '#storefront/catalog/products/view.ts';
import { type ImageShown, imageShown } from './images.ts';
import type { ShopWords } from './words.ts';

/** A product in a list, in words. */
export interface CardShown {
  readonly href: string;
  readonly title: string;
  readonly brand: string | null;
  readonly price: string;
  readonly was: string | null;
  readonly image: ImageShown | null;
  /** Stands for a picture while there is none. */
  readonly letter: string;
  readonly isOnSale: boolean;
  /** It is sold with a license. */
  readonly isLicense: boolean;
  /** What is to be said of its stock; null where there is enough. */
  readonly stock: string | null;
}

export const productHref = (slug: string): string => `/shop/products/${encodeURIComponent(slug)}`;

/** @param at its place in the list: the pictures of the first ones are loaded at once */
export function cardShown(card: ProductCard, { t, money }: ShopWords, at: number): CardShown {
  const { price_cents: low, price_max_cents: high, compare_at_cents: before, currency } = card;
  const price = money(low, currency);
  const isOnSale = card.badges.includes('sale');
  return {
    href: productHref(card.slug),
    title: card.title,
    brand: card.brand,
    price: high > low ? t('price.from', { price }) : price,
    was: isOnSale && before !== null ? money(before, currency) : null,
    image: card.image && imageShown(card.image, at),
    letter: [...card.title][0]?.toUpperCase() ?? '',
    isOnSale,
    isLicense: card.badges.includes('license'),
    stock: card.in_stock ? (card.badges.includes('low_stock') ? t('stock.low') : null) : t('stock.out'),
  };
}
