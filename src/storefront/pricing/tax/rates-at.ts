import { type Place, type Zoned, zoneAt } from '#storefront/contract/regions.ts';
import type { TaxRate } from '../engine/index.ts';
import type { TaxRateRow } from './record.ts';

/** A zone with what it says of places and of taxes. */
export interface TaxZoneWhole extends Zoned {
  readonly priority: number;
  readonly rates: readonly TaxRateRow[];
}

/** The one zone whose taxes are due at a place; null where no tax is. */
export const taxZoneAt = <Z extends Zoned & { readonly priority: number }>(
  zones: readonly Z[],
  place: Place,
): Z | null => zoneAt(zones, place, ({ priority }) => priority);

const holdsAt = ({ validFrom, validTo }: TaxRateRow, now: string): boolean =>
  (validFrom === null || validFrom <= now) && (validTo === null || now < validTo);

/** Rates of a class that hold at a time, as the price engine takes them. */
export const ratesOfClass = (
  rates: readonly TaxRateRow[],
  classId: string,
  now: string,
  isShipping = false,
): TaxRate[] =>
  rates
    .filter((rate) => rate.taxClassId === classId && holdsAt(rate, now))
    .filter(({ appliesToShipping }) => appliesToShipping || !isShipping)
    .map(({ name, ratePpm, compound }) => ({ name, ppm: ratePpm, isCompound: compound }));

/**
 * The taxes on what is of a class, at a place and a time (storefront-promotions 8): those of the one zone that applies.
 *
 * @param now ISO time, `ctx.now()`
 */
export const ratesAt = (
  zones: readonly TaxZoneWhole[],
  place: Place,
  classId: string,
  now: string,
): TaxRate[] => ratesOfClass(taxZoneAt(zones, place)?.rates ?? [], classId, now);

/** Whether two rates are due at the same time at some point. */
export const overlap = (one: TaxRateRow, other: TaxRateRow): boolean =>
  (one.validFrom === null || other.validTo === null || one.validFrom < other.validTo) &&
  (other.validFrom === null || one.validTo === null || other.validFrom < one.validTo);
