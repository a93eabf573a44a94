import type { Ctx } from '#kernel/context.ts';
import { counterSeen } from '#kernel/db/counters.ts';
import type { Page } from '#kernel/http/page.ts';
import type { Around } from '#kernel/http/site.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { languages } from '#platform/languages/index.ts';
import { countUnits, ownerOf } from '#storefront/buying/cart/index.ts';
import { childrenOf } from '#storefront/catalog/categories/index.ts';
import { listShown } from '#storefront/catalog/content/index.ts';
import { stockVersion } from '#storefront/catalog/inventory/index.ts';
import { type ShownItem, shownMenus } from '#storefront/catalog/navigation/index.ts';
import { CATALOG_COUNTER } from '#storefront/catalog/products/index.ts';
import {
  pricesIncludeTax,
  shopNameOf,
  storeAddress,
  storeEmail,
  storePhone,
} from '#storefront/contract/settings.ts';
import { themeAddress } from './theme.ts';
import { type ShopWords, waitWords, wordsOf } from './words.ts';

export const LAYOUT = 'layouts/shop';

/** Categories in the header: more would push the page down. */
const MOST_PLACES = 8;
/** Pages in the footer. */
const MOST_PAGES = 12;

/** How many suggestions there may be. */
const SUGGESTED = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** How long bodies are kept for visitors of whom nothing is known (shop-pages 1). */
const KEPT_SECONDS = 60;

/** What the pages of failures say, in the language of whoever reads. Of the database it needs nothing. */
async function errorModel(ctx: Ctx, languages: readonly string[], path: string) {
  const asked = new URL(path, 'http://shop').searchParams.get('lang') ?? undefined;
  const words = await wordsOf(ctx, { languages }, asked);
  const { t, lang } = words;
  return {
    ...words,
    shopName: shopNameOf(ctx),
    themeHref: themeAddress(ctx),
    wait: (seconds: number) => waitWords(seconds, lang),
    popular: [
      { href: '/shop/products', label: t('nav.products') },
      { href: '/shop/products?sort=newest', label: t('home.new') },
      { href: '/shop/products?sort=best_selling', label: t('home.popular') },
      { href: '/shop/products?on_sale=1', label: t('nav.sale') },
      { href: '/shop/contact', label: t('footer.contact') },
    ],
  };
}

/** What the pages of the shop have in common. */
export const shopPage = {
  audience: 'public',
  packs: true,
  layout: LAYOUT,
  errors: { view: 'shop/error', alone: 'shop/error-alone', model: errorModel },
} as const satisfies Partial<Page>;

const { packs: _packed, ...plain } = shopPage;
/** Of a page whose address opens an order: it is not compressed beside what others wrote, or what its query says. */
export const secretPage = plain;

/** What lists of products are made of. */
export const shownRevision = (ctx: Ctx): Promise<unknown> =>
  Promise.all([counterSeen(ctx, CATALOG_COUNTER), stockVersion(ctx)]);

/** And those that show products. What is published at a time of its own appears when the body is a minute old. */
export const keptPage = {
  ...shopPage,
  kept: { seconds: KEPT_SECONDS, revision: shownRevision },
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

const place = (href: string, label: string): ShownItem => ({ href, label, items: [] });

/** Lists what there is, while staff made no menu. */
async function standingHeader(ctx: Ctx, { t }: ShopWords): Promise<ShownItem[]> {
  const tops = (await childrenOf(ctx, null)).slice(0, MOST_PLACES);
  return [
    place('/shop/products', t('nav.products')),
    ...tops.map(({ name, slug }) => place(`/shop/categories/${slug}`, name)),
    place('/shop/products?on_sale=1', t('nav.sale')),
  ];
}

const standingFooter = async (ctx: Ctx): Promise<ShownItem[]> =>
  (await listShown(ctx)).slice(0, MOST_PAGES).map(({ slug, title }) => place(`/shop/pages/${slug}`, title));

/** Units in the cart of whoever looks; nobody is asked for who has no session yet. */
const unitsIn = async (ctx: Ctx, visitor: Visitor): Promise<number> =>
  visitor.session.id === null ? 0 : countUnits(ctx, ownerOf(visitor));

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
  const menus = await shownMenus(ctx);
  const current = `${address.pathname}${address.search}`;
  const marked = (items: readonly ShownItem[]) =>
    items.map((item) => ({ ...item, isCurrent: current === item.href }));
  return {
    ...words,
    shopName: shopNameOf(ctx),
    themeHref: themeAddress(ctx),
    places: marked(menus.header ?? (await standingHeader(ctx, words))),
    contact: {
      email: ctx.settings.get(storeEmail),
      phone: ctx.settings.get(storePhone),
      address: ctx.settings.get(storeAddress),
    },
    pageLinks: marked(menus.footer ?? (await standingFooter(ctx))),
    languageLinks: languages().map(({ code, name }) => ({
      code,
      name,
      href: to(code),
      isCurrent: code === lang,
    })),
    accountLink: t(visitor.customer ? 'account.title' : 'account.sign_in'),
    cartLink: t('cart.link', { count: await unitsIn(ctx, visitor) }),
    taxNote: t(ctx.settings.get(pricesIncludeTax) ? 'price.incl_tax' : 'price.excl_tax'),
    q: address.searchParams.get('q') ?? '',
    // The script says how many suggestions there are, and cannot make plurals.
    counts: SUGGESTED.map((count) => t('search.suggested', { count })).join('|'),
    seo: noSeo,
    crumbs: [],
  };
};
