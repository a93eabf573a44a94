import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

export const PRICE_LIST_KINDS = ['fixed', 'percent'] as const;
/** Basis points: from for nothing to eleven times the price. */
export const ADJUST_BPS = { min: -10_000, max: 100_000 } as const;
export const MOST_CENTS = 100_000_000_000;
/** Of a quantity that a price begins with. */
export const MOST_FROM = 1_000_000;

/** Prices for companies and groups of customers (storefront-domain 4.1). */
export const priceListRecord = record('price_lists', {
  id: column.id(ids.priceList),
  name: column.text(100, 1),
  /** `fixed`: each variant has prices of its own; `percent`: all prices are other ones by `adjustBps`. */
  kind: column.choice(PRICE_LIST_KINDS),
  /** Negative is cheaper; 0 of a fixed one. */
  adjustBps: column.integer(ADJUST_BPS.min, ADJUST_BPS.max),
  currency: column.text(3, 3),
  /** It holds from then on and before `endsAt`. */
  startsAt: column.time().nullable(),
  endsAt: column.time().nullable(),
  active: column.flag(),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type PriceList = ValuesOf<typeof priceListRecord>;

/** What a unit of a variant costs from a quantity on: in a price list, or for everybody. */
export const priceRecord = record('price_list_prices', {
  id: column.id(ids.priceListPrice),
  /** null: a public quantity break. */
  priceListId: column.id(ids.priceList).references('price_lists').nullable(),
  variantId: column.id(ids.variant).references('product_variants'),
  minQuantity: column.integer(1, MOST_FROM),
  unitCents: column.integer(0, MOST_CENTS),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type Price = ValuesOf<typeof priceRecord>;
