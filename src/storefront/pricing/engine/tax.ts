import { roundHalfUp, splitByWeight } from '#kernel/money.ts';
import type { TaxRate } from './types.ts';

const WHOLE = 1_000_000n;

/** Something that is taxed: a line after its discounts, or shipping. */
export interface Taxed {
  readonly amountCents: number;
  readonly rates: readonly TaxRate[];
}

/** What it comes to (storefront-promotions 8). */
export interface TaxResult {
  readonly netCents: number;
  readonly taxCents: number;
  /** What is paid for it, the tax included. */
  readonly totalCents: number;
  /** Of the tax, for each of its rates. */
  readonly parts: readonly number[];
}

export interface TaxRules {
  readonly includesTax: boolean;
  readonly roundTaxAt: 'line' | 'total';
  readonly isExempt: boolean;
}

/**
 * Taxes lines and, as the last of them, shipping.
 *
 * @param items in the order of the cart; those of equal rates share one rounding where it is by total
 */
export function taxAll(items: readonly Taxed[], rules: TaxRules): TaxResult[] {
  const taxes = items.map(() => 0);
  const groups = rules.roundTaxAt === 'line' ? items.map((_, at) => [at]) : byRates(items);
  for (const places of groups) {
    const amounts = places.map((at) => (items[at] as Taxed).amountCents);
    const sum = amounts.reduce((total, one) => total + one, 0);
    const tax = taxIn(sum, (items[places[0] as number] as Taxed).rates, rules);
    for (const [n, share] of splitByWeight(tax, amounts).entries()) taxes[places[n] as number] = share;
  }
  return items.map((item, at) => resultOf(item, taxes[at] as number, rules));
}

/** Places of items with the same rates. */
const byRates = (items: readonly Taxed[]): number[][] => [
  ...Map.groupBy(items.keys(), (at) => JSON.stringify((items[at] as Taxed).rates)).values(),
];

/** The tax on top of an amount, or within it. */
function taxIn(amountCents: number, rates: readonly TaxRate[], { includesTax, isExempt }: TaxRules): number {
  if (rates.length === 0 || (isExempt && !includesTax)) return 0;
  const plain = rates.reduce((sum, { ppm, isCompound }) => sum + (isCompound ? 0n : BigInt(ppm)), 0n);
  const compound = BigInt(rates.find(({ isCompound }) => isCompound)?.ppm ?? 0);
  // One rounding, also where one rate is taken on top of the others.
  const factor = (WHOLE + plain) * (WHOLE + compound);
  const [amount, one] = [BigInt(amountCents), WHOLE * WHOLE];
  if (includesTax) return amountCents - Number(roundHalfUp(amount * one, factor));
  return Number(roundHalfUp(amount * (factor - one), one));
}

/** @param taxCents on top of the amount or within it; where the buyer is exempt, what he is relieved of */
function resultOf({ amountCents, rates }: Taxed, taxCents: number, rules: TaxRules): TaxResult {
  const netCents = rules.includesTax ? amountCents - taxCents : amountCents;
  if (rules.isExempt) return { netCents, taxCents: 0, totalCents: netCents, parts: rates.map(() => 0) };
  return {
    netCents,
    taxCents,
    totalCents: netCents + taxCents,
    parts: splitByWeight(taxCents, weightsOf(rates)),
  };
}

function weightsOf(rates: readonly TaxRate[]): number[] {
  const plain = rates.reduce((sum, { ppm, isCompound }) => sum + (isCompound ? 0 : ppm), 0);
  return rates.map(({ ppm, isCompound }) => (isCompound ? ppm * (1_000_000 + plain) : ppm * 1_000_000));
}
