import type { Ctx } from '#kernel/context.ts';
import { type ShownStock, shownStock } from '../inventory/index.ts';
import type { ProductCard } from '../products/view.ts';
import { type Fit, hitsOf } from './ranks.ts';
import { bestSelling, isShown, newest, type Shelved, shelfOf } from './shelf.ts';
import { withStock } from './stock.ts';
import { folded } from './words.ts';

export const SORTS = [
  'relevance',
  'newest',
  'price_asc',
  'price_desc',
  'name',
  'best_selling',
  'rating',
] as const;
export type Sort = (typeof SORTS)[number];

/** By which products are narrowed. Values of one facet are alternatives; facets hold together. */
export interface ProductQuery {
  readonly q?: string | undefined;
  readonly tags?: readonly string[];
  readonly brands?: readonly string[];
  /** Minor units, of the cheapest variant. */
  readonly minPrice?: number | undefined;
  readonly maxPrice?: number | undefined;
  readonly onSale?: boolean | undefined;
  /** Only what can be bought. */
  readonly inStock?: boolean | undefined;
  /** Values by the names of options. */
  readonly options?: Readonly<Record<string, readonly string[]>>;
  /** Only these, such as those of a category, which `relevance` shows in this order. */
  readonly within?: ReadonlySet<string> | undefined;
  /** `relevance` for a search and within something, else `newest`, when absent. */
  readonly sort?: Sort | undefined;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** A value of a facet, and how many products it would show. */
export interface FacetValue {
  readonly value: string;
  readonly count: number;
}

/** What a list can be narrowed by, counted as if that facet were not chosen. */
export interface Facets {
  readonly brands: readonly FacetValue[];
  readonly tags: readonly FacetValue[];
  readonly options: readonly { readonly name: string; readonly values: readonly FacetValue[] }[];
  readonly price: { readonly minCents: number; readonly maxCents: number } | null;
  readonly onSale: number;
  readonly inStock: number;
}

export interface ProductList {
  readonly cards: readonly ProductCard[];
  readonly total: number;
  readonly facets: Facets;
  /** Of a search. */
  readonly fit: Fit;
}

let collator: Intl.Collator | undefined;
function byName(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  return collator.compare(one, other);
}
const byId = (one: Shelved, other: Shelved): number => (one.id < other.id ? -1 : 1);

const orders: Record<Exclude<Sort, 'relevance'>, (one: Shelved, other: Shelved) => number> = {
  newest,
  price_asc: (one, other) => one.card.price_cents - other.card.price_cents || byId(one, other),
  price_desc: (one, other) => other.card.price_cents - one.card.price_cents || byId(one, other),
  name: (one, other) => byName(one.card.title, other.card.title) || byId(one, other),
  best_selling: bestSelling,
  rating: (one, other) => (other.card.rating ?? 0) - (one.card.rating ?? 0) || newest(one, other),
};

/** What is chosen of one facet, and whether a product has it. */
interface Choice {
  readonly facet: string;
  readonly has: (one: Shelved) => boolean;
}

const fold = (values: readonly string[]): ReadonlySet<string> => new Set(values.map(folded));

function choicesOf(
  { brands = [], tags = [], minPrice, maxPrice, onSale, inStock, options = {} }: ProductQuery,
  stock: ShownStock,
): Choice[] {
  const [ofBrand, ofTag] = [fold(brands), fold(tags)];
  const low = minPrice ?? 0;
  const high = maxPrice ?? Number.MAX_SAFE_INTEGER;
  const isPriced = minPrice !== undefined || maxPrice !== undefined;
  const all: (Choice | false)[] = [
    brands.length > 0 && { facet: 'brand', has: ({ brand }) => brand !== null && ofBrand.has(brand.key) },
    tags.length > 0 && { facet: 'tag', has: (one) => one.tags.some(({ key }) => ofTag.has(key)) },
    isPriced && {
      facet: 'price',
      has: ({ card }) => card.price_cents >= low && card.price_cents <= high,
    },
    onSale === true && { facet: 'on_sale', has: (one) => one.isOnSale },
    inStock === true && { facet: 'in_stock', has: ({ id }) => stock.of(id).state !== 'out' },
    ...Object.entries(options).map(([name, values]) => {
      const wanted = fold(values);
      const has = (one: Shelved) => (one.options.get(name) ?? []).some(({ key }) => wanted.has(key));
      return { facet: `option.${name}`, has };
    }),
  ];
  return all.filter((one) => one !== false);
}

/** Counts of values in the order in which they are shown: the most frequent first. */
class Tally {
  readonly #counts = new Map<string, number>();
  add(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }
  values(): FacetValue[] {
    return [...this.#counts]
      .map(([value, count]) => ({ value, count }))
      .sort((one, other) => other.count - one.count || byName(one.value, other.value));
  }
}

/** Counts what could be chosen beside what is. */
class FacetCounter {
  readonly #brands = new Tally();
  readonly #tags = new Tally();
  readonly #options = new Map<string, Tally>();
  #low = Number.MAX_SAFE_INTEGER;
  #high = -1;
  #onSale = 0;
  #inStock = 0;
  readonly #stock: ShownStock;

  constructor(stock: ShownStock) {
    this.#stock = stock;
  }

  /** @param only the facet for which it counts; null for all of them */
  add(one: Shelved, only: string | null): void {
    const { brand, card } = one;
    const { price_cents: price } = card;
    if (brand !== null && (only ?? 'brand') === 'brand') this.#brands.add(brand.text);
    if ((only ?? 'tag') === 'tag') for (const { text } of one.tags) this.#tags.add(text);
    if ((only ?? 'price') === 'price') {
      this.#low = Math.min(this.#low, price);
      this.#high = Math.max(this.#high, price);
    }
    if ((only ?? 'on_sale') === 'on_sale' && one.isOnSale) this.#onSale += 1;
    if ((only ?? 'in_stock') === 'in_stock' && this.#stock.of(one.id).state !== 'out') this.#inStock += 1;
    for (const [name, values] of one.options)
      if (only === null || only === `option.${name}`)
        for (const { text } of values) this.#tally(name).add(text);
  }

  #tally(name: string): Tally {
    let tally = this.#options.get(name);
    if (!tally) this.#options.set(name, (tally = new Tally()));
    return tally;
  }

  facets(): Facets {
    return {
      brands: this.#brands.values(),
      tags: this.#tags.values(),
      options: [...this.#options].map(([name, tally]) => ({ name, values: tally.values() })),
      price: this.#high < 0 ? null : { minCents: this.#low, maxCents: this.#high },
      onSale: this.#onSale,
      inStock: this.#inStock,
    };
  }
}

/**
 * Products of the shop that are shown now, narrowed, sorted and counted (storefront-api.md, D). A page beyond the end is
 * empty.
 */
export async function productList(ctx: Ctx, query: ProductQuery): Promise<ProductList> {
  const [shelf, stock] = await Promise.all([shelfOf(ctx), shownStock(ctx)]);
  const [now, choices, q] = [ctx.now(), choicesOf(query, stock), (query.q ?? '').trim()];
  const hits = q === '' ? null : await hitsOf(ctx, shelf, q);
  const sort = query.sort ?? (hits || query.within ? 'relevance' : 'newest');
  const order = sort === 'relevance' ? 'best_selling' : sort;
  const counter = new FacetCounter(stock);
  const found: Shelved[] = [];
  for (const one of hits?.products ?? shelf.inOrder(order, orders[order])) {
    if (!isShown(one, now)) continue;
    if (query.within && !query.within.has(one.id)) continue;
    const missed = missedBy(one, choices);
    if (missed === 'several') continue;
    // What misses one facet alone would be shown with another value of it.
    counter.add(one, missed);
    if (missed === null) found.push(one);
  }
  const sorted =
    hits || sort === 'relevance' ? resorted(found, sort, hits ? undefined : query.within) : found;
  const from = (query.page - 1) * query.perPage;
  const cards = sorted.slice(from, from + query.perPage).map(({ id, card }) => withStock(card, stock.of(id)));
  return { cards, total: found.length, facets: counter.facets(), fit: hits?.fit ?? 'words' };
}

/** The facet that keeps a product out of the list; null when none does. */
function missedBy(one: Shelved, choices: readonly Choice[]): string | null {
  let missed: string | null = null;
  for (const { facet, has } of choices) {
    if (has(one)) continue;
    if (missed !== null) return 'several';
    missed = facet;
  }
  return missed;
}

/** Products that do not stand in the order of the shelf, in the one that is asked for. @param within in the order of staff */
function resorted(
  found: readonly Shelved[],
  sort: Sort,
  within: ReadonlySet<string> | undefined,
): readonly Shelved[] {
  if (sort !== 'relevance') return found.toSorted(orders[sort]);
  return within ? inOrderOf(found, within) : found;
}

/** As staff arranged them. */
function inOrderOf(found: readonly Shelved[], ids: ReadonlySet<string>): Shelved[] {
  const byId = new Map(found.map((one) => [one.id, one]));
  return [...ids].flatMap((id) => byId.get(id) ?? []);
}
