import type { Ctx } from '#kernel/context.ts';
import { page, type Shown, show } from '#kernel/http/page.ts';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { type Facets, type FacetValue, productList, SORTS } from '../../catalog/search/index.ts';
import { cardShown } from './cards.ts';
import { keptPage, shopPage } from './frame.ts';
import {
  type Applied,
  type Asked,
  appliedOf,
  type Base,
  hrefOf,
  ListQuery,
  productQueryOf,
} from './list-query.ts';
import { type Crumb, seoOf, trailOf } from './seo.ts';
import { languageHead, type ShopWords, wordsOf } from './words.ts';

/** Values of one facet that are offered; the most frequent ones. */
const MOST_VALUES = 20;
/** From so many filters on, a list is one of countless others. */
const MOST_INDEXED = 1;

const groupOf = (
  name: string,
  label: string,
  values: readonly FacetValue[],
  applied: readonly Applied[],
) => ({
  name,
  label,
  values: values.slice(0, MOST_VALUES).map(({ value, count }) => ({
    value,
    count,
    isChosen: applied.some((one) => one.name === name && one.value.toLowerCase() === value.toLowerCase()),
  })),
});

const groupsOf = (facets: Facets, applied: readonly Applied[], { t }: ShopWords) =>
  [
    ...facets.options.map(({ name, values }) => groupOf(`option.${name}`, name, values, applied)),
    groupOf('brand', t('list.brand'), facets.brands, applied),
    groupOf('tag', t('list.tag'), facets.tags, applied),
  ].filter(({ values }) => values.length > 0);

const chipLabel = ({ name, value }: Applied, { t }: ShopWords): string => {
  if (name === 'on_sale') return t('list.on_sale');
  if (name === 'min') return `${t('list.from')} ${value}`;
  return name === 'max' ? `${t('list.to')} ${value}` : value;
};

/** Numbers of the pages that are linked: the first, the last, and those around the one that is shown. */
function numbersOf(current: number, pages: number): number[] {
  const near = [current - 2, current - 1, current, current + 1, current + 2];
  const shown = new Set([1, ...near, pages].filter((one) => one >= 1 && one <= pages));
  return [...shown].sort((one, other) => one - other);
}

interface Kind {
  readonly path: string;
  readonly title: (words: ShopWords, asked: Asked) => string;
  readonly isIndexed: boolean;
}

async function listShown(ctx: Ctx, kind: Kind, asked: Asked, visitor: Visitor): Promise<Shown> {
  const words = wordsOf(ctx, visitor, asked.lang);
  const { t } = words;
  const currency = ctx.settings.get(currencyCode);
  const wanted = productQueryOf(asked, currency);
  const found = await productList(ctx, wanted);
  const applied = appliedOf(asked);
  const base: Base = { path: kind.path, q: asked.q, lang: asked.lang, sort: asked.sort };
  const pages = Math.max(1, Math.ceil(found.total / wanted.perPage));
  const isBeyond = asked.page > pages;
  const title = kind.title(words, asked);
  const crumbs: Crumb[] = [
    { label: t('nav.home'), href: '/shop/' },
    { label: title, href: kind.path },
  ];
  const items = {
    '@type': 'ItemList',
    itemListElement: found.cards.map(({ slug }, at) => ({
      '@type': 'ListItem',
      position: at + 1,
      url: new URL(`/shop/products/${slug}`, ctx.baseUrl).href,
    })),
  };
  const seo = seoOf(ctx, {
    path: asked.page > 1 ? `${kind.path}?page=${asked.page}` : kind.path,
    lang: asked.lang,
    index: kind.isIndexed && applied.length <= MOST_INDEXED && !isBeyond,
    ld: kind.isIndexed ? [trailOf(ctx, crumbs), items] : [],
  });
  const link = (number: number) => hrefOf(base, applied, number);
  const data = {
    ...words,
    title,
    seo,
    crumbs,
    path: kind.path,
    q: asked.q ?? '',
    lang: words.lang,
    isLanguageAsked: asked.lang !== undefined,
    isSearch: !kind.isIndexed,
    isBeyond,
    total: found.total,
    cards: found.cards.map((card) => cardShown(card, words)),
    groups: groupsOf(found.facets, applied, words),
    min: asked.min ?? '',
    max: asked.max ?? '',
    isOnSale: wanted.onSale === true,
    onSale: found.facets.onSale,
    chips: applied.map((one) => ({
      label: chipLabel(one, words),
      href: hrefOf(
        base,
        applied.filter((other) => other !== one),
      ),
    })),
    clearHref: hrefOf(base, []),
    sorts: SORTS.filter((sort) => sort !== 'relevance' || !kind.isIndexed).map((sort) => ({
      value: sort,
      label: t(`sort.${sort}`),
      isChosen: sort === (asked.sort ?? (kind.isIndexed ? 'newest' : 'relevance')),
    })),
    page: asked.page,
    pages,
    firstHref: link(1),
    previous: asked.page > 1 && !isBeyond ? link(asked.page - 1) : null,
    next: asked.page < pages ? link(asked.page + 1) : null,
    numbers: numbersOf(asked.page, pages).map((number) => ({ number, href: link(number) })),
  };
  return show('shop/list', data, { status: isBeyond ? 404 : 200, head: languageHead(asked.lang) });
}

const all: Kind = { path: '/shop/products', title: ({ t }) => t('list.title'), isIndexed: true };
const hits: Kind = {
  path: '/shop/search',
  title: ({ t }, { q = '' }) => (q.trim() === '' ? t('search.title') : t('search.results', { q: q.trim() })),
  isIndexed: false,
};

export const listPage = page({
  ...keptPage,
  path: all.path,
  title: 'Products',
  joinsRepeated: true,
  query: ListQuery,
  show: (ctx, { query, visitor }) => listShown(ctx, all, query, visitor),
});

const searchLimit: RateLimit = { bucket: 'shop-search', max: 60, windowSeconds: 60, by: 'ip' };

export const searchPage = page({
  ...shopPage,
  path: hits.path,
  title: 'Search',
  joinsRepeated: true,
  query: ListQuery,
  limit: { show: searchLimit },
  show: (ctx, { query, visitor }) => listShown(ctx, hits, query, visitor),
});
