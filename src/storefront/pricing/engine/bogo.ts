import { shareOf, splitByWeight } from '#kernel/money.ts';
import { cheapestFirst, dearestFirst, isAmong, isOpenTo, sumOf } from './lines.ts';
import type { BogoPromotion, CartLine } from './types.ts';

/** What buy-one-get-one promotions have left of each line's units; they lower it. */
export interface Units {
  /** Neither bought nor discounted by one of them. */
  readonly free: number[];
  readonly discounted: number[];
}

/** What one of them came to. */
export interface Bogo {
  /** Off each line, minor units. */
  readonly amounts: readonly number[];
  /** So many more would complete the last set: they are wanted, and cost less. */
  readonly missingUnits: number;
}

/** Places of the lines that it buys from and gives on. */
interface Pools {
  readonly onlyBuy: readonly number[];
  readonly both: readonly number[];
  readonly get: readonly number[];
}

/** Units by line. */
type Counts = Map<number, number>;

/** Finds its sets among the units that are free, marks them, and says what the buyer saves (storefront-promotions 5). */
export function applyBogo(promotion: BogoPromotion, lines: readonly CartLine[], units: Units): Bogo {
  const pools = poolsOf(promotion, lines);
  const { taken, missingUnits } =
    promotion.getSelection === 'grouped'
      ? takeGrouped(promotion, pools, units)
      : { taken: takeCheapest(promotion, lines, pools, units), missingUnits: 0 };
  const amounts = lines.map(() => 0);
  for (const [at, count] of taken) units.discounted[at] = (units.discounted[at] as number) + count;
  const { getEffect, getValue, maxDiscountCents } = promotion;
  const sums = lines.map(({ unitCents }, at) => unitCents * (taken.get(at) ?? 0));
  if (getEffect === 'percent')
    amounts.splice(0, amounts.length, ...splitByWeight(shareOf(sumOf(sums), getValue), sums));
  else
    for (const [at, count] of taken) {
      const { unitCents } = lines[at] as CartLine;
      const off =
        getEffect === 'fixed_amount' ? Math.min(unitCents, getValue) : Math.max(0, unitCents - getValue);
      amounts[at] = off * count;
    }
  const isCapped = maxDiscountCents !== null && sumOf(amounts) > maxDiscountCents;
  return { amounts: isCapped ? splitByWeight(maxDiscountCents, amounts) : amounts, missingUnits };
}

function poolsOf(promotion: BogoPromotion, lines: readonly CartLine[]): Pools {
  const open = lines.flatMap((line, at) => (isOpenTo(promotion, line) ? [at] : []));
  const among = (targets: BogoPromotion['buy']) =>
    open.filter((at) => isAmong(lines[at] as CartLine, targets));
  const [buy, get] = [among(promotion.buy), dearestFirst(lines, among(promotion.get))];
  return {
    onlyBuy: dearestFirst(
      lines,
      buy.filter((at) => !get.includes(at)),
    ),
    both: dearestFirst(
      lines,
      buy.filter((at) => get.includes(at)),
    ),
    get,
  };
}

/** Takes up to `wanted` free units in the order of the places. */
function take(units: Units, places: readonly number[], wanted: number): Counts {
  const taken: Counts = new Map();
  let left = wanted;
  for (const at of places) {
    if (left === 0) break;
    const count = Math.min(left, units.free[at] as number);
    if (count === 0) continue;
    units.free[at] = (units.free[at] as number) - count;
    taken.set(at, count);
    left -= count;
  }
  return taken;
}

function giveBack(units: Units, taken: Counts): void {
  for (const [at, count] of taken) units.free[at] = (units.free[at] as number) + count;
}

const countOf = (taken: Counts): number => sumOf([...taken.values()]);

/** Set after set of the dearest: no unit that is given is dearer than those bought for it, when both pools are one. */
function takeGrouped(
  { buyQuantity, getQuantity, maxSets }: BogoPromotion,
  { onlyBuy, both, get }: Pools,
  units: Units,
): { taken: Counts; missingUnits: number } {
  const all: Counts = new Map();
  const buys = [...onlyBuy, ...both];
  for (let sets = 0; maxSets === null || sets < maxSets; sets++) {
    const bought = take(units, buys, buyQuantity);
    const got = countOf(bought) === buyQuantity ? take(units, get, getQuantity) : new Map<number, number>();
    if (got.size === 0) {
      giveBack(units, bought);
      return { taken: all, missingUnits: countOf(bought) === buyQuantity ? getQuantity : 0 };
    }
    for (const [at, count] of got) all.set(at, (all.get(at) ?? 0) + count);
    if (countOf(got) < getQuantity) return { taken: all, missingUnits: getQuantity - countOf(got) };
  }
  return { taken: all, missingUnits: 0 };
}

/** As many sets as give most, and of what is not bought the cheapest. */
function takeCheapest(
  { buyQuantity, getQuantity, maxSets }: BogoPromotion,
  lines: readonly CartLine[],
  { onlyBuy, both, get }: Pools,
  units: Units,
): Counts {
  const free = (places: readonly number[]) => sumOf(places.map((at) => units.free[at] as number));
  const [a, o] = [free(onlyBuy), free(both)];
  const b = free(get) - o;
  const most = Math.min(maxSets ?? Number.MAX_SAFE_INTEGER, Math.floor((a + o) / buyQuantity));
  const given = (sets: number) => Math.min(sets * getQuantity, b + o - Math.max(0, sets * buyQuantity - a));
  let best = 0;
  for (let sets = 1; sets <= most; sets++) if (given(sets) > (best === 0 ? 0 : given(best))) best = sets;
  if (best === 0) return new Map();
  take(units, [...onlyBuy, ...both], best * buyQuantity);
  return take(units, cheapestFirst(lines, get), given(best));
}
