import type { BogoPromotion, CartLine, ItemPromotion, Targets } from './types.ts';

const meets = (one: readonly string[] | undefined, other: readonly string[]): boolean =>
  one?.some((id) => other.includes(id)) ?? false;

/** Whether one of the lists names the line. */
export const isAmong = (line: CartLine, targets: Targets): boolean =>
  targets === 'all' ||
  meets(targets.variants, [line.variantId]) ||
  meets(targets.products, [line.productId]) ||
  meets(targets.categories, line.categoryIds) ||
  meets(targets.collections, line.collectionIds) ||
  meets(targets.tags, line.tags);

/** Whether units of the line take part in promotions: one that costs nothing neither gets nor gives anything. */
export const takesPart = ({ isDiscountable, unitCents }: CartLine): boolean =>
  isDiscountable && unitCents > 0;

/** Whether a promotion of class item may touch a line that its target list names. */
export const isOpenTo = (
  { excludes, excludesSale }: Pick<ItemPromotion | BogoPromotion, 'excludes' | 'excludesSale'>,
  line: CartLine,
): boolean =>
  takesPart(line) && !(excludesSale && line.isOnSale) && !(excludes !== null && isAmong(line, excludes));

/** Places of lines, those with the dearest units first; of equal ones the earlier. */
export const dearestFirst = (lines: readonly CartLine[], places: readonly number[]): number[] =>
  places.toSorted((one, other) => unitOf(lines, other) - unitOf(lines, one) || one - other);

/** Places of lines, those with the cheapest units first; of equal ones the earlier. */
export const cheapestFirst = (lines: readonly CartLine[], places: readonly number[]): number[] =>
  places.toSorted((one, other) => unitOf(lines, one) - unitOf(lines, other) || one - other);

const unitOf = (lines: readonly CartLine[], at: number): number => (lines[at] as CartLine).unitCents;

export const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, one) => sum + one, 0);
