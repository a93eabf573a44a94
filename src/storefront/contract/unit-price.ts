import { shareOf } from '#kernel/money.ts';

/** What a unit costs from a quantity on. */
export interface PriceTier {
  /** From 1. */
  readonly minQuantity: number;
  /** Minor units. */
  readonly unitCents: number;
}

/** What is sold, as far as its price goes. */
export interface PricedVariant {
  readonly priceCents: number;
  readonly currency: string;
  /** Public quantity breaks, in any order. */
  readonly tiers: readonly PriceTier[];
}

/** A price list of the buyer, with what it says of the variant. */
export interface BuyersList {
  readonly kind: 'fixed' | 'percent';
  /** Basis points; negative is cheaper. */
  readonly adjustBps: number;
  readonly currency: string;
  readonly active: boolean;
  /** Half-open: from `startsAt` on and before `endsAt`. */
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  /** Of this variant, in any order; a list of the kind `percent` needs none. */
  readonly tiers: readonly PriceTier[];
}

const WHOLE_BPS = 10_000;

/** The lowest price that a quantity reaches, so that more units never cost more each; null below all of them. */
function reached(tiers: readonly PriceTier[], quantity: number): number | null {
  const prices = tiers.filter((tier) => tier.minQuantity <= quantity).map((tier) => tier.unitCents);
  return prices.length === 0 ? null : Math.min(...prices);
}

/** Whether a list holds at a time. @param now ISO time, `ctx.now()` */
const holds = ({ active, startsAt, endsAt }: BuyersList, now: string): boolean =>
  active && (startsAt === null || startsAt <= now) && (endsAt === null || now < endsAt);

function listed(list: BuyersList, { priceCents }: PricedVariant, quantity: number): number | null {
  if (list.kind === 'fixed') return reached(list.tiers, quantity);
  return shareOf(priceCents, WHOLE_BPS + list.adjustBps);
}

/**
 * What one unit of a variant costs a buyer (storefront-domain 5): the lowest of its price, of the public quantity break
 * and of each price list that holds. A list of another currency than the variant's says nothing of it.
 *
 * @param quantity of the line, from 1
 * @param lists that of the buyer's company, or those of the groups of the buyer
 * @param now ISO time, `ctx.now()`
 * @returns minor units of the variant's currency
 */
export function unitPrice(
  variant: PricedVariant,
  quantity: number,
  lists: readonly BuyersList[],
  now: string,
): number {
  const own = lists.filter((list) => list.currency === variant.currency && holds(list, now));
  const offers = [reached(variant.tiers, quantity), ...own.map((list) => listed(list, variant, quantity))];
  return Math.min(variant.priceCents, ...offers.filter((cents) => cents !== null));
}

/** What a unit of a variant costs somebody of whom nothing is known. */
export const publicUnitPrice = (variant: PricedVariant, quantity: number): number =>
  unitPrice(variant, quantity, [], '');

/**
 * The public quantity breaks that are worth showing: each is cheaper than what smaller quantities cost.
 *
 * @returns by quantity, the smallest first
 */
export function worthwhileTiers(variant: PricedVariant): PriceTier[] {
  const shown: PriceTier[] = [];
  let lowest = publicUnitPrice(variant, 1);
  for (const tier of variant.tiers.toSorted((one, other) => one.minQuantity - other.minQuantity)) {
    if (tier.minQuantity === 1 || tier.unitCents >= lowest) continue;
    shown.push(tier);
    lowest = tier.unitCents;
  }
  return shown;
}
