import { setImmediate } from 'node:timers/promises';
import type { Ctx } from '#kernel/context.ts';
import { counterSeen, readCounter } from '#kernel/db/counters.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { shownStock } from '../inventory/index.ts';
import * as products from '../products/index.ts';
import type { ProductCard } from '../products/view.ts';
import { listStates } from './queries.ts';
import { withStock } from './stock.ts';
import { folded } from './words.ts';

/** So many products are read at a time; who else waits is answered between. */
const AT_ONCE = 200;

/** Something that a list is narrowed by: as it is shown, and as it is compared. */
export interface Value {
  readonly text: string;
  readonly key: string;
}

/** What lists of the shop know of a product that is shown, now or from a time on. */
export interface Shelved {
  readonly id: string;
  /** Another one when the product or one of its pictures has changed. */
  readonly state: string;
  readonly card: ProductCard;
  /** It is shown from then on; null: at once. */
  readonly publishAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly sales: number;
  readonly brand: Value | null;
  readonly tags: readonly Value[];
  /** What its variants have, by the names of the options. */
  readonly options: ReadonlyMap<string, readonly Value[]>;
  readonly isOnSale: boolean;
}

/** Compares two products: the younger one comes first. */
export const newest = (one: Shelved, other: Shelved): number =>
  one.createdAt === other.createdAt ? (one.id < other.id ? 1 : -1) : one.createdAt > other.createdAt ? -1 : 1;

/** Compares two products: the one that sells better comes first. */
export const bestSelling = (one: Shelved, other: Shelved): number =>
  other.sales - one.sales || newest(one, other);

/** The products of the shop as its lists need them. */
export class Shelf {
  readonly version: number;
  readonly all: readonly Shelved[];
  readonly bySlug: ReadonlyMap<string, Shelved>;
  readonly byId: ReadonlyMap<string, Shelved>;
  readonly #orders = new Map<string, readonly Shelved[]>();

  constructor(version: number, all: readonly Shelved[]) {
    this.version = version;
    this.all = all;
    this.byId = new Map(all.map((one) => [one.id, one]));
    this.bySlug = new Map(all.map((one) => [one.card.slug, one]));
  }

  /** All of them in an order, which is made once. */
  inOrder(name: string, compare: (one: Shelved, other: Shelved) => number): readonly Shelved[] {
    let order = this.#orders.get(name);
    if (!order) this.#orders.set(name, (order = this.all.toSorted(compare)));
    return order;
  }
}

/** One for each process: it is read anew, as far as it has changed, when the counter is another one. */
const held = memoryKey('shelf of the shop', () => ({
  shelf: new Shelf(-1, []),
  /** Of all products, also of those that are not shown. */
  states: new Map<string, string>() as ReadonlyMap<string, string>,
  reading: null as Promise<void> | null,
}));

/** The products of the shop as they are in the database now. */
export async function shelfOf(ctx: Ctx): Promise<Shelf> {
  const kept = ctx.memory.of(held);
  const version = await counterSeen(ctx, products.CATALOG_COUNTER);
  // What another request reads at the moment may have been begun before the last change.
  while (kept.shelf.version < version) {
    kept.reading ??= refresh(ctx, kept).finally(() => {
      kept.reading = null;
    });
    await kept.reading;
  }
  return kept.shelf;
}

async function refresh(ctx: Ctx, kept: { shelf: Shelf; states: ReadonlyMap<string, string> }): Promise<void> {
  // Before the products: what changes while they are read is read again.
  const version = (await readCounter(ctx, products.CATALOG_COUNTER)) ?? 0;
  const states = await listStates(ctx);
  const changed = [...states.keys()].filter((id) => kept.states.get(id) !== states.get(id));
  const entries = new Map(kept.shelf.all.map((one) => [one.id, one]));
  for (let from = 0; from < changed.length; from += AT_ONCE) {
    const ids = changed.slice(from, from + AT_ONCE);
    for (const id of ids) entries.delete(id);
    for (const one of await products.shelfRows(ctx, ids)) {
      const { id } = one.product;
      entries.set(id, shelved(one, states.get(id) ?? ''));
    }
    await setImmediate();
  }
  const all = [...entries.values()].filter(({ id }) => states.has(id));
  kept.states = states;
  kept.shelf = new Shelf(version, all);
}

/** The same values are the same objects for thousands of products: they are folded once and counted by what they are. */
const values = new Map<string, Value>();
const MOST_VALUES = 20_000;

function shelvedValue(text: string): Value {
  let value = values.get(text);
  if (!value) {
    if (values.size >= MOST_VALUES) values.clear();
    values.set(text, (value = { text, key: folded(text) }));
  }
  return value;
}

function shelved({ product, variants, tags, card }: products.ShelfRow, state: string): Shelved {
  const options = new Map<string, Value[]>();
  for (const { chosen } of variants)
    for (const { option, value } of chosen) {
      const values = options.get(option) ?? [];
      if (!values.some(({ text }) => text === value)) options.set(option, [...values, shelvedValue(value)]);
    }
  return {
    id: product.id,
    state,
    card,
    publishAt: product.publishAt,
    createdAt: product.createdAt,
    updatedAt: product.updatedAt,
    sales: product.salesCount,
    brand: product.brand === null ? null : shelvedValue(product.brand),
    tags: tags.map(shelvedValue),
    options,
    isOnSale: card.badges.includes('sale'),
  };
}

/** Whether a product is shown at a time. */
export const isShown = ({ publishAt }: Shelved, now: string): boolean =>
  publishAt === null || publishAt <= now;

/** Cards of products that are shown now, in the order of the ids. */
export async function cardsOf(ctx: Ctx, ids: Iterable<string>): Promise<ProductCard[]> {
  const now = ctx.now();
  const [{ byId }, stock] = await Promise.all([shelfOf(ctx), shownStock(ctx)]);
  return Array.from(ids).flatMap((id) => {
    const one = byId.get(id);
    return one && isShown(one, now) ? [withStock(one.card, stock.of(id))] : [];
  });
}
