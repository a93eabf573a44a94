import { shareOf, splitByWeight } from '#kernel/money.ts';
import { applyBogo, type Units } from './bogo.ts';
import { dearestFirst, isAmong, isOpenTo, sumOf } from './lines.ts';
import type {
  BogoPromotion,
  CartLine,
  ItemPromotion,
  OrderPromotion,
  PricedCart,
  Promotion,
  ShippingPromotion,
} from './types.ts';

/** What one promotion takes off. */
export interface Share {
  readonly promotion: Promotion;
  /** Off each line, minor units. */
  readonly lines: readonly number[];
  readonly shippingCents: number;
  /** What it was computed from. */
  readonly baseCents: number;
}

/** A set of promotions, applied. */
export interface Application {
  readonly shares: readonly Share[];
  /** Of each line, before tax. */
  readonly left: readonly number[];
  readonly loyalty: readonly number[];
  /** Of each amount that staff take off, what it lowers each line by. */
  readonly manual: readonly (readonly number[])[];
  readonly shippingCents: number;
  readonly shippingDiscountCents: number;
  readonly savingCents: number;
  /** Units that would complete a set, by the promotion. */
  readonly missing: ReadonlyMap<string, number>;
}

/** Earlier in a stage: the smaller priority, then the older one, then the smaller id. */
export const inOrder = (one: Promotion, other: Promotion): number =>
  one.priority - other.priority || byAge(one, other);

export function byAge(one: Promotion, other: Promotion): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

const capped = (cents: number, { maxDiscountCents }: Promotion): number =>
  maxDiscountCents === null ? cents : Math.min(cents, maxDiscountCents);

/** What it is worked on; every stage lowers `left`. */
interface Work {
  readonly lines: readonly CartLine[];
  readonly left: number[];
  readonly units: Units;
  readonly shares: Share[];
  readonly missing: Map<string, number>;
}

/**
 * Applies promotions in their stages: buy-one-get-one, items, the order, points, shipping (storefront-promotions 6).
 *
 * @param shippingCents what shipping costs before discounts, for what is left of each line
 * @param loyaltyCents what points are worth; 0 where only promotions are compared
 * @param manualCents what staff take off; nothing where only promotions are compared
 */
export function applySet(
  { lines }: PricedCart,
  promotions: readonly Promotion[],
  shippingCents: (left: readonly number[]) => number,
  loyaltyCents: number,
  manualCents: readonly number[] = [],
): Application {
  const work: Work = {
    lines,
    left: lines.map(({ unitCents, quantity }) => unitCents * quantity),
    units: { free: lines.map(({ quantity }) => quantity), discounted: lines.map(() => 0) },
    shares: [],
    missing: new Map(),
  };
  const sorted = promotions.toSorted(inOrder);
  for (const one of sorted) if (one.effect === 'bogo') giveUnits(work, one);
  for (const one of sorted) if (one.class === 'item' && one.effect !== 'bogo') lowerItems(work, one);
  lowerOrder(
    work,
    sorted.filter((one) => one.class === 'order'),
  );
  const manual = manualCents.map((cents) => spend(work, cents, work.left));
  const price = shippingCents(work.left);
  const loyalty = spend(work, loyaltyCents, discountableLeft(work));
  const shippingLeft = lowerShipping(
    work,
    sorted.filter((one) => one.class === 'shipping'),
    price,
  );
  return {
    shares: work.shares,
    left: work.left,
    loyalty,
    manual,
    shippingCents: price,
    shippingDiscountCents: price - shippingLeft,
    savingCents: sumOf(work.shares.map(savingOf)),
    missing: work.missing,
  };
}

/** What a promotion takes off in all. */
export const savingOf = ({ lines, shippingCents }: Share): number => sumOf(lines) + shippingCents;

function takeOff(work: Work, promotion: Promotion, amounts: readonly number[], baseCents: number): void {
  for (const [at, amount] of amounts.entries()) work.left[at] = (work.left[at] as number) - amount;
  work.shares.push({ promotion, lines: amounts, shippingCents: 0, baseCents });
}

function giveUnits(work: Work, promotion: BogoPromotion): void {
  const { amounts, missingUnits } = applyBogo(promotion, work.lines, work.units);
  if (missingUnits > 0) work.missing.set(promotion.id, missingUnits);
  takeOff(work, promotion, amounts, sumOf(amounts));
}

/** Units of each line that a promotion of class item lowers: the dearest first, as many as it takes. */
function unitsFor({ lines, units }: Work, promotion: ItemPromotion): number[] {
  const counts = lines.map(() => 0);
  const open = lines.flatMap((line, at) =>
    isOpenTo(promotion, line) && isAmong(line, promotion.appliesTo) ? [at] : [],
  );
  let left = promotion.maxUnits ?? Number.MAX_SAFE_INTEGER;
  for (const at of dearestFirst(lines, open)) {
    const count = Math.min(left, (lines[at] as CartLine).quantity - (units.discounted[at] as number));
    counts[at] = count;
    left -= count;
  }
  return counts;
}

function lowerItems(work: Work, promotion: ItemPromotion): void {
  const { lines, left } = work;
  const { effect, value, scope, maxDiscountCents } = promotion;
  const counts = unitsFor(work, promotion);
  // Always of the full price: promotions stand beside each other and do not compound.
  const base = lines.map(({ unitCents }, at) => unitCents * (counts[at] as number));
  const total = sumOf(base);
  if (effect === 'percent' || (effect === 'fixed_amount' && scope === 'once')) {
    const wanted = effect === 'percent' ? shareOf(total, value) : value;
    const weights = base.map((cents, at) => Math.min(cents, left[at] as number));
    const amount = Math.min(capped(wanted, promotion), sumOf(weights));
    takeOff(work, promotion, splitByWeight(amount, weights), total);
  } else {
    const amounts = lines.map(({ unitCents }, at) => {
      const off = effect === 'fixed_amount' ? Math.min(value, unitCents) : Math.max(0, unitCents - value);
      return Math.min(off * (counts[at] as number), left[at] as number);
    });
    const isCapped = maxDiscountCents !== null && sumOf(amounts) > maxDiscountCents;
    takeOff(work, promotion, isCapped ? splitByWeight(maxDiscountCents, amounts) : amounts, total);
  }
}

/** What is left of the lines that may be discounted. */
const discountableLeft = ({ lines, left }: Work): number[] =>
  lines.map(({ isDiscountable }, at) => (isDiscountable ? (left[at] as number) : 0));

function lowerOrder(work: Work, promotions: readonly OrderPromotion[]): void {
  // Taken once: each of them sees the same sum.
  const base = sumOf(discountableLeft(work));
  for (const one of promotions) {
    const wanted = one.effect === 'percent' ? shareOf(base, one.value) : Math.min(one.value, base);
    const weights = discountableLeft(work);
    const amount = Math.min(capped(wanted, one), sumOf(weights));
    takeOff(work, one, splitByWeight(amount, weights), base);
  }
}

function spend(work: Work, cents: number, weights: readonly number[]): number[] {
  const amounts = splitByWeight(Math.min(cents, sumOf(weights)), weights);
  for (const [at, amount] of amounts.entries()) work.left[at] = (work.left[at] as number) - amount;
  return amounts;
}

/** @returns what is left of shipping */
function lowerShipping(work: Work, promotions: readonly ShippingPromotion[], price: number): number {
  let left = price;
  for (const one of promotions) {
    const { effect, value } = one;
    const wanted = effect === 'free_shipping' ? price : effect === 'percent' ? shareOf(price, value) : value;
    const amount = Math.min(capped(wanted, one), left);
    left -= amount;
    work.shares.push({
      promotion: one,
      lines: work.lines.map(() => 0),
      shippingCents: amount,
      baseCents: price,
    });
  }
  return left;
}
