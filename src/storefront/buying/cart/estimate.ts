import type { Ctx } from '#kernel/context.ts';
import type { Place } from '#storefront/contract/regions.ts';
import type { Offer } from '#storefront/pricing/shipping/index.ts';
import { get } from './cart.ts';
import type { Owner } from './owner.ts';
import { priceCart } from './price.ts';

/** What somebody's cart would cost if it went to a place, by the cheapest method. */
export interface Estimate {
  readonly offers: readonly Offer[];
  readonly currency: string;
  readonly taxCents: number;
  readonly totalCents: number;
}

/** Estimates shipping and tax for a place; it writes nothing. */
export async function estimate(ctx: Ctx, owner: Owner, place: Place): Promise<Estimate> {
  const { cart } = await get(ctx, owner);
  const { offers } = await priceCart(ctx, cart, { place, methodId: null });
  const cheapest = offers.toSorted((one, other) => one.priceCents - other.priceCents)[0];
  const { price } = await priceCart(ctx, cart, { place, methodId: cheapest?.method.id ?? null });
  const { taxCents, totalCents } = price.totals;
  return { offers, currency: cart.currency, taxCents, totalCents };
}
