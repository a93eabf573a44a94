import type { Ctx } from '#kernel/context.ts';
import { type Place, zoneAt } from '#storefront/contract/regions.ts';
import { type Parcel, priceOf } from './price-of.ts';
import { packedVariants } from './queries.ts';
import type { ShippingMethod, ShippingRate } from './record.ts';
import * as repo from './repository.ts';

/** A method that ships a parcel to a place. */
export interface Offer {
  readonly method: ShippingMethod;
  readonly rates: readonly ShippingRate[];
  readonly priceCents: number;
}

/**
 * The methods that ship a parcel to a place, in the order of their zone: those of the one zone that applies, without
 * those that have no rate for it. Of nothing that is shipped there are none.
 */
export async function offers(ctx: Ctx, place: Place, parcel: Parcel): Promise<Offer[]> {
  if (parcel.itemCount === 0) return [];
  const zones = await repo.zonesIn(ctx, place.country.toUpperCase());
  const zone = zoneAt(zones, place, ({ position }) => position);
  if (!zone) return [];
  return (await repo.offeredIn(ctx, zone.id)).flatMap(({ method, rates }) => {
    const priceCents = priceOf(method, rates, parcel);
    return priceCents === null ? [] : [{ method, rates, priceCents }];
  });
}

/** A line of a cart that is not priced yet. */
export interface Line {
  readonly variantId: string;
  readonly quantity: number;
}

/**
 * What lines are as a parcel, at their own prices.
 *
 * @throws what `unknown` throws, for a variant that does not exist
 */
export async function parcelOf(
  ctx: Ctx,
  lines: readonly Line[],
  unknown: (variantId: string, at: number) => Error,
): Promise<Parcel> {
  const known = await packedVariants(
    ctx,
    lines.map(({ variantId }) => variantId),
  );
  let [weightG, merchandiseCents, itemCount, handlingCents] = [0, 0, 0, 0];
  for (const [at, { variantId, quantity }] of lines.entries()) {
    const variant = known.get(variantId);
    if (!variant) throw unknown(variantId, at);
    merchandiseCents += variant.priceCents * quantity;
    if (!variant.requiresShipping) continue;
    weightG += variant.weightG * quantity;
    itemCount += quantity;
    handlingCents = Math.max(handlingCents, variant.handlingCents);
  }
  return { weightG, merchandiseCents, itemCount, handlingCents };
}
