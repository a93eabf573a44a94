import { z } from 'zod';
import { currencyExponent } from '#kernel/money.ts';
import { later } from '#kernel/sharing.ts';
import { MOST_CHOSEN, type ProductQuery, SORTS, type Sort } from '#storefront/catalog/search/index.ts';
import { oneOfSeveral, severalIn } from '#storefront/contract/several.ts';

const PER_PAGE = 24;
const MOST_PAGES = 1_000_000;
const OPTION = 'option.';

const some = z.string().max(1000).optional().catch(undefined);

/** What the address of a list may say. What it says wrongly is as if it said nothing: links are mistyped and grow old. */
export const ListQuery = later(() =>
  z
    .object({
      q: z.string().max(1000).optional().catch(undefined),
      lang: z.string().max(20).optional().catch(undefined),
      brand: some,
      tag: some,
      min: some,
      max: some,
      on_sale: some,
      in_stock: some,
      sort: z.enum(SORTS).optional().catch(undefined),
      page: z.coerce.number().int().min(1).max(MOST_PAGES).catch(1).default(1),
    })
    .catchall(z.unknown()),
);
export type Asked = z.output<typeof ListQuery>;

/** A filter in use: `name=value` of the address. */
export interface Applied {
  readonly name: string;
  readonly value: string;
}

const valuesOf = (text: unknown): string[] => (typeof text === 'string' ? severalIn(text) : []);

/** `19.90` or `19,90` in minor units; undefined for what is no amount. */
export function centsOf(text: string | undefined, currency: string): number | undefined {
  const [, whole = '', fraction = ''] = /^\s*(\d{1,9})(?:[.,](\d{0,3}))?\s*$/.exec(text ?? '') ?? [];
  if (whole === '') return undefined;
  const places = currencyExponent(currency);
  return Number(whole + fraction.padEnd(places, '0').slice(0, places));
}

const optionNames = (asked: Asked): string[] => Object.keys(asked).filter((name) => name.startsWith(OPTION));

/** The filters that take several values: each is a link of the page, and stands in all the others. */
const listedOf = (asked: Asked): Applied[] =>
  ['brand', 'tag', ...optionNames(asked)]
    .flatMap((name) => valuesOf(asked[name]).map((value) => ({ name, value })))
    .slice(0, MOST_CHOSEN);

/** The filters of an address, one by one. */
export function appliedOf(asked: Asked): Applied[] {
  const single = (['min', 'max', 'on_sale', 'in_stock'] as const).flatMap((name) => {
    const value = asked[name]?.trim() ?? '';
    return value === '' ? [] : [{ name, value }];
  });
  return [...listedOf(asked), ...single];
}

/** What a list is asked for by its address. */
export function productQueryOf(asked: Asked, currency: string): ProductQuery {
  const listed = Map.groupBy(listedOf(asked), ({ name }) => name);
  const chosen = (name: string) => (listed.get(name) ?? []).map(({ value }) => value);
  const options = [...listed.keys()].filter((name) => name.startsWith(OPTION));
  return {
    q: asked.q,
    brands: chosen('brand'),
    tags: chosen('tag'),
    minPrice: centsOf(asked.min, currency),
    maxPrice: centsOf(asked.max, currency),
    onSale: asked.on_sale === '1',
    inStock: asked.in_stock === '1',
    options: Object.fromEntries(options.map((name) => [name.slice(OPTION.length), chosen(name)])),
    sort: asked.sort,
    page: asked.page,
    perPage: PER_PAGE,
  };
}

/** Whether a parameter takes several values. */
const isListed = (name: string): boolean => name === 'brand' || name === 'tag' || name.startsWith(OPTION);

/** Parts of an address that stay when filters change. */
export interface Base {
  readonly path: string;
  readonly q: string | undefined;
  readonly lang: string | undefined;
  readonly sort: Sort | undefined;
}

/** The address of the list with these filters. */
export function hrefOf({ path, q, lang, sort }: Base, applied: readonly Applied[], page = 1): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ q, lang, sort }))
    if (value !== undefined) query.set(name, value);
  for (const [name, all] of Map.groupBy(applied, (one) => one.name))
    query.set(name, all.map(({ value }) => (isListed(name) ? oneOfSeveral(value) : value)).join(','));
  if (page > 1) query.set('page', String(page));
  return query.size === 0 ? path : `${path}?${query}`;
}
