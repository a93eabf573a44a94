import type { Ctx } from '#kernel/context.ts';
import { readCounter } from '#kernel/db/counters.ts';
import type { Page } from '#kernel/http/page.ts';
import type { Around } from '#kernel/http/site.ts';
import { languages } from '#platform/languages/index.ts';
import { childrenOf } from '#storefront/catalog/categories/index.ts';
import { CATALOG_COUNTER } from '#storefront/catalog/products/index.ts';
import { pricesIncludeTax, shopNameOf } from '#storefront/contract/settings.ts';
import { themeAddress } from './theme.ts';
import { wordsOf } from './words.ts';

export const LAYOUT = 'layouts/shop';

/** Categories in the header: more would push the page down. */
const MOST_PLACES = 8;

/** How long bodies are kept for visitors of whom nothing is known (shop-pages 1). */
const KEPT_SECONDS = 60;

/** What the pages of the shop have in common. */
export const shopPage = {
  audience: 'public',
  layout: LAYOUT,
  errors: { view: 'shop/error', alone: 'shop/error-alone' },
} as const satisfies Partial<Page>;

/** And those that show products. What is published at a time of its own appears when the body is a minute old. */
export const keptPage = {
  ...shopPage,
  kept: { seconds: KEPT_SECONDS, revision: (ctx: Ctx) => readCounter(ctx, CATALOG_COUNTER) },
} as const satisfies Partial<Page>;

const noSeo = {
  description: null,
  canonical: null,
  index: false,
  alternates: [],
  type: 'website',
  price: null,
  image: null,
  ld: [],
};

/** What the layout shows around the pages of the shop. */
export const around: Around = async (ctx, visitor, path) => {
  const address = new URL(path, 'http://shop');
  const words = await wordsOf(ctx, visitor, address.searchParams.get('lang') ?? undefined);
  const { t, lang } = words;
  const to = (code: string): string => {
    const query = new URLSearchParams(address.searchParams);
    query.set('lang', code);
    return `${address.pathname}?${query}`;
  };
  const tops = (await childrenOf(ctx, null)).slice(0, MOST_PLACES);
  const places = [
    { href: '/shop/products', label: t('nav.products') },
    ...tops.map(({ name, slug }) => ({ href: `/shop/categories/${slug}`, label: name })),
    { href: '/shop/products?on_sale=1', label: t('nav.sale') },
  ];
  return {
    ...words,
    shopName: shopNameOf(ctx),
    themeHref: themeAddress(ctx),
    places: places.map((place) => ({
      ...place,
      isCurrent: `${address.pathname}${address.search}` === place.href,
    })),
    languageLinks: languages().map(({ code, name }) => ({
      code,
      name,
      href: to(code),
      isCurrent: code === lang,
    })),
    taxNote: t(ctx.settings.get(pricesIncludeTax) ? 'price.incl_tax' : 'price.excl_tax'),
    q: address.searchParams.get('q') ?? '',
    seo: noSeo,
    crumbs: [],
  };
};
