import type { Ctx } from '#kernel/context.ts';
import { page, type Shown, show } from '#kernel/http/page.ts';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import {
  type Facets,
  type FacetValue,
  type ProductList,
  type ProductQuery,
  productList,
  SORTS,
  type Sort,
} from '#storefront/catalog/search/index.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { cardShown, productHref } from './cards.ts';
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
import { type Crumb, type Seo, seoOf, trailOf } from './seo.ts';
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

export interface Kind {
  readonly path: string;
  /** What it is under, from the start page down, without itself. */
  readonly above?: readonly Crumb[];
  /** Lists that are narrower. */
  readonly below?: readonly Crumb[];
  readonly text?: string | null;
  readonly description?: string | null;
  readonly within?: ReadonlySet<string>;
  /** How it is sorted at first; `relevance` within something: as staff arranged it. */
  readonly sort?: Sort;
  readonly title: (words: ShopWords, asked: Asked) => string;
  readonly isIndexed: boolean;
}

/** What the list is asked for, and what was found. */
interface Found {
  readonly kind: Kind;
  readonly asked: Asked;
  readonly words: ShopWords;
  readonly wanted: ProductQuery;
  readonly list: ProductList;
}

const firstSort = ({ sort, isIndexed }: Kind): Sort => sort ?? (isIndexed ? 'newest' : 'relevance');

const pagesOf = ({ list, wanted }: Found): number => Math.max(1, Math.ceil(list.total / wanted.perPage));

export async function listShown(ctx: Ctx, kind: Kind, asked: Asked, visitor: Visitor): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, asked.lang);
  const all = productQueryOf(asked, ctx.settings.get(currencyCode));
  const wanted = { ...all, within: kind.within, sort: asked.sort ?? firstSort(kind) };
  const found: Found = { kind, asked, words, wanted, list: await productList(ctx, wanted) };
  const title = kind.title(words, asked);
  const crumbs: Crumb[] = [
    { label: words.t('nav.home'), href: '/shop/' },
    ...(kind.above ?? []),
    { label: title, href: kind.path },
  ];
  const isBeyond = asked.page > pagesOf(found);
  const data = {
    ...words,
    title,
    crumbs,
    text: kind.text ?? null,
    below: kind.below ?? [],
    seo: listSeo(ctx, found, crumbs),
    path: kind.path,
    q: asked.q ?? '',
    isLanguageAsked: asked.lang !== undefined,
    isSearch: !kind.isIndexed,
    isBeyond,
    total: found.list.total,
    cards: found.list.cards.map((card, at) => cardShown(card, words, at)),
    ...filtersOf(found),
    ...placesOf(found, isBeyond),
  };
  return show('shop/list', data, { status: isBeyond ? 404 : 200, head: languageHead(asked.lang) });
}

function listSeo(ctx: Ctx, found: Found, crumbs: readonly Crumb[]): Seo {
  const { kind, asked, list } = found;
  const items = {
    '@type': 'ItemList',
    itemListElement: list.cards.map(({ slug }, at) => ({
      '@type': 'ListItem',
      position: at + 1,
      url: new URL(productHref(slug), ctx.baseUrl).href,
    })),
  };
  return seoOf(ctx, {
    path: asked.page > 1 ? `${kind.path}?page=${asked.page}` : kind.path,
    lang: asked.lang,
    description: kind.description ?? null,
    index: kind.isIndexed && appliedOf(asked).length <= MOST_INDEXED && asked.page <= pagesOf(found),
    ld: kind.isIndexed ? [trailOf(ctx, crumbs), items] : [],
  });
}

const baseOf = ({ kind: { path }, asked: { q, lang, sort } }: Found): Base => ({ path, q, lang, sort });

/** What the list can be narrowed by, what it is narrowed by, and how it is sorted. */
function filtersOf(found: Found) {
  const { kind, asked, words, wanted, list } = found;
  const [applied, base] = [appliedOf(asked), baseOf(found)];
  return {
    groups: groupsOf(list.facets, applied, words),
    min: asked.min ?? '',
    max: asked.max ?? '',
    isOnSale: wanted.onSale === true,
    onSale: list.facets.onSale,
    chips: applied.map((one) => ({
      label: chipLabel(one, words),
      href: hrefOf(
        base,
        applied.filter((other) => other !== one),
      ),
    })),
    clearHref: hrefOf(base, []),
    sorts: SORTS.filter((sort) => sort !== 'relevance' || firstSort(kind) === sort).map((sort) => ({
      value: sort,
      label: words.t(sort === 'relevance' && kind.isIndexed ? 'sort.featured' : `sort.${sort}`),
      isChosen: sort === wanted.sort,
    })),
  };
}

/** Links to the other pages of the list. */
function placesOf(found: Found, isBeyond: boolean) {
  const { asked } = found;
  const pages = pagesOf(found);
  const link = (number: number) => hrefOf(baseOf(found), appliedOf(asked), number);
  return {
    page: asked.page,
    pages,
    firstHref: link(1),
    previous: asked.page > 1 && !isBeyond ? link(asked.page - 1) : null,
    next: asked.page < pages ? link(asked.page + 1) : null,
    numbers: numbersOf(asked.page, pages).map((number) => ({ number, href: link(number) })),
  };
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
