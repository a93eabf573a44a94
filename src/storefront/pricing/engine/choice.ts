import { takesPart } from './lines.ts';
import { type Application, applySet, byAge, inOrder } from './stages.ts';
import type { Bar, PricedCart, Promotion, PromotionClass, Stacking } from './types.ts';

/** Why a promotion does not lower anything, in the order in which it is tested (storefront-promotions 10). */
export type Refusal =
  | { readonly reason: Bar | 'not_eligible_items' | 'not_best' | 'not_combinable' }
  | { readonly reason: 'min_subtotal'; readonly missingCents: number }
  | { readonly reason: 'min_quantity'; readonly missingQuantity: number };

/** A promotion that would lower something if it stood alone. */
export interface Candidate {
  readonly promotion: Promotion;
  /** The entered code that opens it; null where it needs none. */
  readonly code: string | null;
  readonly savingCents: number;
}

/** What became of every promotion whose code was entered or that needs none. */
export interface Choice {
  /** In the order in which they were chosen. */
  readonly chosen: readonly Candidate[];
  readonly candidates: readonly Candidate[];
  readonly refused: readonly {
    readonly promotion: Promotion;
    readonly code: string | null;
    readonly refusal: Refusal;
  }[];
  /** Units that would complete a set, by the promotion that gives them. */
  readonly missing: ReadonlyMap<string, number>;
}

/** Chooses the promotions that apply, on the cart without any discount (storefront-promotions 4 and 7). */
export function choose(cart: PricedCart, promotions: readonly Promotion[], stacking: Stacking): Choice {
  const candidates: Candidate[] = [];
  const refused: { promotion: Promotion; code: string | null; refusal: Refusal }[] = [];
  const missing = new Map<string, number>();
  const test = testOf(cart);
  for (const promotion of promotions) {
    const code = promotion.codes?.find((one) => cart.codes.includes(one)) ?? null;
    if (promotion.codes !== null && code === null) continue;
    const refusal = test(promotion);
    if (refusal) refused.push({ promotion, code, refusal });
    else {
      const alone = applyTo(cart, [promotion]);
      for (const [id, units] of alone.missing) missing.set(id, units);
      if (alone.savingCents > 0) candidates.push({ promotion, code, savingCents: alone.savingCents });
      else refused.push({ promotion, code, refusal: { reason: 'not_eligible_items' } });
    }
  }
  const chosen = modes[stacking.mode](cart, candidates, stacking);
  const reason = stacking.mode === 'best_wins' ? 'not_best' : 'not_combinable';
  for (const { promotion, code } of candidates.filter((one) => !chosen.includes(one)))
    refused.push({ promotion, code, refusal: { reason } });
  return { chosen, candidates, refused, missing };
}

/** Promotions as they are compared: without points, and shipping at its price for the full merchandise. */
function applyTo(cart: PricedCart, promotions: readonly Promotion[]): Application {
  const price = cart.shipping.priceCents(cart.lines.map(({ unitCents, quantity }) => unitCents * quantity));
  return applySet(cart, promotions, () => price, 0);
}

function testOf({ lines }: PricedCart): (promotion: Promotion) => Refusal | null {
  const counted = lines.filter(takesPart);
  const subtotal = counted.reduce((sum, { unitCents, quantity }) => sum + unitCents * quantity, 0);
  const units = counted.reduce((sum, { quantity }) => sum + quantity, 0);
  return ({ bar, minSubtotalCents, minQuantity }) => {
    if (bar !== null) return { reason: bar };
    if (minSubtotalCents !== null && subtotal < minSubtotalCents)
      return { reason: 'min_subtotal', missingCents: minSubtotalCents - subtotal };
    if (minQuantity !== null && units < minQuantity)
      return { reason: 'min_quantity', missingQuantity: minQuantity - units };
    return null;
  };
}

type Comparison = (one: Candidate, other: Candidate) => number;

const bySaving: Comparison = (one, other) => other.savingCents - one.savingCents;
const byPriority: Comparison = (one, other) => one.promotion.priority - other.promotion.priority;
const byCode: Comparison = (one, other) => Number(one.code !== null) - Number(other.code !== null);
const byYears: Comparison = (one, other) => byAge(one.promotion, other.promotion);

/** The first that is not 0 decides. */
const by =
  (...comparisons: readonly Comparison[]): Comparison =>
  (one, other) => {
    for (const compare of comparisons) {
      const order = compare(one, other);
      if (order !== 0) return order;
    }
    return 0;
  };

const firstInLine = by(byPriority, bySaving, byYears);
// Of two that save as much, the one without a code: a limited code is not spent for nothing.
const best = by(bySaving, byCode, byPriority, byYears);

const modes: Record<
  Stacking['mode'],
  (cart: PricedCart, candidates: readonly Candidate[], stacking: Stacking) => Candidate[]
> = {
  none: (_cart, candidates) => {
    const coded = candidates.filter(({ code }) => code !== null);
    return (coded.length > 0 ? coded : candidates).toSorted(firstInLine).slice(0, 1);
  },
  best_wins: (_cart, candidates) => {
    const bestOf = (...classes: readonly PromotionClass[]) =>
      candidates
        .filter(({ promotion }) => classes.includes(promotion.class))
        .toSorted(best)
        .slice(0, 1);
    return [...bestOf('item', 'order'), ...bestOf('shipping')];
  },
  controlled: chooseControlled,
};

const areCompatible = ({ promotion: p }: Candidate, { promotion: q }: Candidate): boolean =>
  (p.exclusionGroup === null || p.exclusionGroup !== q.exclusionGroup) &&
  p.combinesWith.includes(q.class) &&
  q.combinesWith.includes(p.class);

/** The stack of those that go together, or one that stands alone: whichever saves most. */
function chooseControlled(
  cart: PricedCart,
  candidates: readonly Candidate[],
  { maxStack }: Stacking,
): Candidate[] {
  const stack: Candidate[] = [];
  for (const one of candidates.filter(({ promotion }) => promotion.isStackable).toSorted(firstInLine))
    if (stack.length < maxStack && stack.every((other) => areCompatible(one, other))) stack.push(one);
  const alone = candidates.filter(({ promotion }) => !promotion.isStackable).map((one) => [one]);
  const options = [...(stack.length > 0 ? [stack] : []), ...alone].map((chosen) => ({
    chosen,
    saving: savingOfAll(cart, chosen),
    codes: chosen.filter(({ code }) => code !== null).length,
    isStack: chosen === stack,
    first: chosen.map(({ promotion }) => promotion).toSorted(inOrder)[0] as Promotion,
  }));
  const [option] = options.toSorted(
    (one, other) =>
      other.saving - one.saving ||
      one.codes - other.codes ||
      Number(other.isStack) - Number(one.isStack) ||
      inOrder(one.first, other.first),
  );
  return option?.chosen ?? [];
}

/** One alone was applied already. */
const savingOfAll = (cart: PricedCart, chosen: readonly Candidate[]): number =>
  chosen.length === 1
    ? (chosen[0] as Candidate).savingCents
    : applyTo(
        cart,
        chosen.map(({ promotion }) => promotion),
      ).savingCents;
