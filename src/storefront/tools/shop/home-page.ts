import { z } from 'zod';
import { goTo, page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { listAnnounced } from '#storefront/catalog/collections/index.ts';
import { productList, type Sort } from '#storefront/catalog/search/index.ts';
import { shopNameOf } from '#storefront/contract/settings.ts';
import { cardShown } from './cards.ts';
import { keptPage } from './frame.ts';
import { heroOf } from './hero.ts';
import { seoOf } from './seo.ts';
import { languageHead, wordsOf } from './words.ts';

/** Products of one part of the page. */
const ROW = 8;

export const LangQuery = later(() => z.object({ lang: z.string().max(20).optional().catch(undefined) }));

export const homePage = page({
  ...keptPage,
  path: '/shop/',
  title: 'Shop',
  query: LangQuery,
  async show(ctx, { query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const row = async (more: { sort: Sort; onSale?: boolean }, first = ROW) =>
      (await productList(ctx, { ...more, page: 1, perPage: ROW })).cards.map((card, at) =>
        cardShown(card, words, first + at),
      );
    const { t } = words;
    const hero = await heroOf(ctx);
    const newest = await row({ sort: 'newest' }, hero?.image ? 1 : 0);
    const popular = await row({ sort: 'best_selling' });
    // Before anything is sold, the newest ones would be shown a second time.
    const isTold = popular.some(({ href }, at) => href !== newest[at]?.href);
    const rows = [
      { title: t('home.new'), href: '/shop/products?sort=newest', cards: newest },
      {
        title: t('home.popular'),
        href: '/shop/products?sort=best_selling',
        cards: isTold ? popular : [],
      },
      {
        title: t('home.sale'),
        href: '/shop/products?on_sale=1',
        cards: await row({ sort: 'newest', onSale: true }),
      },
    ].filter(({ cards }) => cards.length > 0);
    const [name, home] = [shopNameOf(ctx), new URL('/shop/', ctx.baseUrl).href];
    const search = {
      '@type': 'SearchAction',
      target: `${new URL('/shop/search', ctx.baseUrl).href}?q={search_term_string}`,
      'query-input': 'required name=search_term_string',
    };
    const ld = [
      { '@type': 'Organization', name, url: home },
      { '@type': 'WebSite', name, url: home, potentialAction: search },
    ];
    const seo = seoOf(ctx, { path: '/shop/', lang: query.lang, description: name, ld });
    const collections = (await listAnnounced(ctx))
      .slice(0, ROW)
      .map(({ title, slug }) => ({ label: title, href: `/shop/collections/${slug}` }));
    return show(
      'shop/home',
      { ...words, title: name, hero, rows, collections, seo },
      { head: languageHead(query.lang) },
    );
  },
});

/** As people type it. */
export const shopPath = page({
  path: '/shop',
  title: 'Shop',
  audience: 'public',
  show: async () => goTo('/shop/'),
});
