import type { Ctx } from '#kernel/context.ts';
import { page, type Shown, show } from '#kernel/http/page.ts';
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
import { currencyCode, shopNameOf } from '#storefront/contract/settings.ts';
import { oneOfSeveral } from '#storefront/contract/several.ts';
import { cardShown, productHref } from './cards.ts';
import { keptPage } from './frame.ts';
import type { ImageShown } from './images.ts';
import {
  type Applied,
  type Asked,
  appliedOf,
  type Base,
  hrefOf,
  ListQuery,
  productQueryOf,
} from './list-query.ts';
import type { SearchHelp } from './search-help.ts';
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
    // Boxes that are ticked together are joined by commas.
    sent: oneOfSeveral(value),
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
  if (name === 'on_sale' || name === 'in_stock') return t(`list.${name}`);
  if (name === 'min') return `${t('list.from')} ${value}`;
  return name === 'max' ? `${t('list.to')} ${value}` : value;
};

/** Numbers of the pages that are linked: the first, the last, and those around the one that is shown. */
function numbersOf(current: number, pages: number): number[] {
  const near = [current - 2, current - 1, current, current + 1, current + 2];
  const shown = new Set([1, ...near, pages].filter((one) => one >= 1 && one <= pages));
  return [...shown].sort((one, other) => one - other);
}

/** A narrower list, with its picture where it has one. */
export type Place = Crumb & { readonly image?: ImageShown | null };

export interface Kind {
  readonly path: string;
  /** What it is under, from the start page down, without itself. */
  readonly above?: readonly Crumb[];
  /** Lists that are narrower. */
  readonly below?: readonly Place[];
  readonly text?: string | null;
  /** Its own picture. */
  readonly picture?: ImageShown | null;
  readonly description?: string | null;
  readonly within?: ReadonlySet<string>;
  /** How it is sorted at first; `relevance` within something: as staff arranged it. */
  readonly sort?: Sort;
  readonly title: (words: ShopWords, asked: Asked) => string;
  readonly isIndexed: boolean;
  /** What may have been meant by the words of a search, the likeliest first. */
  readonly meant?: (ctx: Ctx, q: string, list: ProductList) => Promise<string[]>;
  /** What else may help whoever looks for something. */
  readonly help?: (ctx: Ctx, found: Found) => Promise<SearchHelp>;
}

/** What the list is asked for, and what was found. */
export interface Found {
  readonly kind: Kind;
  readonly asked: Asked;
  readonly words: ShopWords;
  readonly wanted: ProductQuery;
  readonly list: ProductList;
  readonly meant: readonly string[];
  /** The words that nothing fits, in place of which something else was looked for. */
  readonly unfit: string | null;
}

const firstSort = ({ sort, isIndexed }: Kind): Sort => sort ?? (isIndexed ? 'newest' : 'relevance');

const pagesOf = ({ list, wanted }: Found): number => Math.max(1, Math.ceil(list.total / wanted.perPage));

export async function listShown(ctx: Ctx, kind: Kind, asked: Asked, visitor: Visitor): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, asked.lang);
  const all = productQueryOf(asked, ctx.settings.get(currencyCode));
  const wanted = { ...all, within: kind.within, sort: asked.sort ?? firstSort(kind) };
  const found = await foundOf(ctx, { kind, asked, words, wanted });
  const title = kind.title(words, found.asked);
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
    picture: kind.picture ?? null,
    seo: listSeo(ctx, found, crumbs),
    path: kind.path,
    q: found.asked.q ?? '',
    unfit: found.unfit,
    isLanguageAsked: asked.lang !== undefined,
    isSearch: !kind.isIndexed,
    isBeyond,
    total: found.list.total,
    isLoose: found.list.fit === 'some' && found.list.total > 0,
    cards: found.list.cards.map((card, at) => cardShown(card, words, at)),
    help: (await kind.help?.(ctx, found)) ?? null,
    ...filtersOf(found),
    ...placesOf(found, isBeyond),
  };
  return show('shop/list', data, { status: isBeyond ? 404 : 200, head: languageHead(asked.lang) });
}

/** What is found, or what the likeliest correction finds where nothing fits the words as they are written. */
async function foundOf(
  ctx: Ctx,
  looking: Pick<Found, 'kind' | 'asked' | 'words' | 'wanted'>,
): Promise<Found> {
  const { kind, asked, wanted } = looking;
  const list = await productList(ctx, wanted);
  const { q = '' } = asked;
  const meant = (await kind.meant?.(ctx, q, list)) ?? [];
  const [likeliest, ...others] = meant;
  if (likeliest === undefined || !(await isUnfit(ctx, q, list)))
    return { ...looking, list, meant, unfit: null };
  const corrected = { ...wanted, q: likeliest };
  return {
    ...looking,
    // Filters and pages lead on among what is shown.
    asked: { ...asked, q: likeliest },
    wanted: corrected,
    list: await productList(ctx, corrected),
    meant: others,
    unfit: q.trim(),
  };
}

/** Whether nothing fits words, whatever a list is narrowed by. */
const isUnfit = async (ctx: Ctx, q: string, { total }: ProductList): Promise<boolean> =>
  total === 0 && (await productList(ctx, { q, page: 1, perPage: 1 })).total === 0;

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
    description: kind.description || `${kind.title(found.words, asked)} · ${shopNameOf(ctx)}`,
    index: kind.isIndexed && appliedOf(asked).length <= MOST_INDEXED && asked.page <= pagesOf(found),
    ld: kind.isIndexed ? [trailOf(ctx, crumbs), items] : [],
  });
}

export const baseOf = ({ kind: { path }, asked: { q, lang, sort } }: Found): Base => ({
  path,
  q,
  lang,
  sort,
});

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
    isInStock: wanted.inStock === true,
    inStock: list.facets.inStock,
    // Where everything can be bought there is nothing to choose.
    hasSoldOut: list.facets.inStock < list.total || wanted.inStock === true,
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
export const listPage = page({
  ...keptPage,
  path: all.path,
  title: 'Products',
  joinsRepeated: true,
  query: ListQuery,
  show: (ctx, { query, visitor }) => listShown(ctx, all, query, visitor),
});
