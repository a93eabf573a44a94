import { z } from 'zod';
import { currencyExponent } from '#kernel/money.ts';
import { type ProductQuery, SORTS, type Sort } from '#storefront/catalog/search/index.ts';

const PER_PAGE = 24;
const MOST_PAGES = 1_000_000;
const OPTION = 'option.';

const some = z.string().max(1000).optional().catch(undefined);

/** What the address of a list may say. What it says wrongly is as if it said nothing: links are mistyped and grow old. */
export const ListQuery = z
  .object({
    q: z.string().max(1000).optional().catch(undefined),
    lang: z.string().max(20).optional().catch(undefined),
    brand: some,
    tag: some,
    min: some,
    max: some,
    on_sale: some,
    sort: z.enum(SORTS).optional().catch(undefined),
    page: z.coerce.number().int().min(1).max(MOST_PAGES).catch(1).default(1),
  })
  .catchall(z.unknown());
export type Asked = z.output<typeof ListQuery>;

/** A filter in use: `name=value` of the address. */
export interface Applied {
  readonly name: string;
  readonly value: string;
}

const valuesOf = (text: unknown): string[] =>
  typeof text === 'string'
    ? text
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
    : [];

/** `19.90` or `19,90` in minor units; undefined for what is no amount. */
export function centsOf(text: string | undefined, currency: string): number | undefined {
  const [, whole = '', fraction = ''] = /^\s*(\d{1,9})(?:[.,](\d{0,3}))?\s*$/.exec(text ?? '') ?? [];
  if (whole === '') return undefined;
  const places = currencyExponent(currency);
  return Number(whole + fraction.padEnd(places, '0').slice(0, places));
}

const optionNames = (asked: Asked): string[] => Object.keys(asked).filter((name) => name.startsWith(OPTION));

/** The filters of an address, one by one. */
export function appliedOf(asked: Asked): Applied[] {
  const lists = ['brand', 'tag', ...optionNames(asked)];
  const applied = lists.flatMap((name) => valuesOf(asked[name]).map((value) => ({ name, value })));
  const single = (['min', 'max', 'on_sale'] as const).flatMap((name) => {
    const value = asked[name]?.trim() ?? '';
    return value === '' ? [] : [{ name, value }];
  });
  return [...applied, ...single];
}

/** What a list is asked for by its address. */
export function productQueryOf(asked: Asked, currency: string): ProductQuery {
  const options = Object.fromEntries(
    optionNames(asked).map((name) => [name.slice(OPTION.length), valuesOf(asked[name])]),
  );
  return {
    q: asked.q,
    brands: valuesOf(asked.brand),
    tags: valuesOf(asked.tag),
    minPrice: centsOf(asked.min, currency),
    maxPrice: centsOf(asked.max, currency),
    onSale: asked.on_sale === '1',
    options: Object.fromEntries(Object.entries(options).filter(([, values]) => values.length > 0)),
    sort: asked.sort,
    page: asked.page,
    perPage: PER_PAGE,
  };
}

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
    query.set(name, all.map(({ value }) => value).join(','));
  if (page > 1) query.set('page', String(page));
  return query.size === 0 ? path : `${path}?${query}`;
}
