import type { ShippingMethod, ShippingRate } from './record.ts';

/** What is to be shipped, as prices see it. */
export interface Parcel {
  readonly weightG: number;
  /** Merchandise after discounts of items and of the order. */
  readonly merchandiseCents: number;
  /** Units that are shipped. */
  readonly itemCount: number;
  /** Of the shipping classes in it, the dearest. */
  readonly handlingCents: number;
}

type Priced = Pick<ShippingMethod, 'kind' | 'freeOverCents'>;
type Row = Pick<ShippingRate, 'min' | 'max' | 'priceCents' | 'perUnitCents'>;

const GRAMS = 1000;

/** What a kind counts, and how many units of it lie above the beginning of a range. */
const kinds: Readonly<
  Record<
    ShippingMethod['kind'],
    { readonly of: (parcel: Parcel) => number; readonly units: (above: number) => number }
  >
> = {
  flat: { of: () => 0, units: () => 0 },
  weight: { of: ({ weightG }) => weightG, units: (above) => Math.ceil(above / GRAMS) },
  price: { of: ({ merchandiseCents }) => merchandiseCents, units: () => 0 },
  item: { of: ({ itemCount }) => itemCount, units: (above) => above },
  free: { of: () => 0, units: () => 0 },
  pickup: { of: () => 0, units: () => 0 },
};

/** Kinds that cost nothing and have no rates. */
export const isWithoutRates = (kind: ShippingMethod['kind']): boolean => kind === 'free' || kind === 'pickup';

/** Whether rates of a kind may have a price for each unit. */
export const hasUnits = (kind: ShippingMethod['kind']): boolean => kind === 'weight' || kind === 'item';

/**
 * What a method costs (storefront-domain 5): the rate of the range that the parcel is in, and handling once.
 *
 * @returns null where no rate is for the parcel: the method is not offered
 */
export function priceOf(method: Priced, rates: readonly Row[], parcel: Parcel): number | null {
  if (isWithoutRates(method.kind)) return 0;
  const { of, units } = kinds[method.kind];
  const amount = of(parcel);
  const rate = rates.find(({ min, max }) => min <= amount && (max === null || amount < max));
  if (!rate) return null;
  const { freeOverCents } = method;
  if (freeOverCents !== null && parcel.merchandiseCents >= freeOverCents) return 0;
  return rate.priceCents + rate.perUnitCents * units(amount - rate.min) + parcel.handlingCents;
}
