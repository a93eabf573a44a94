/** An amount in minor units of its currency; `currency` is an ISO 4217 code. Never a float (decision 0003). */
export interface Money {
  readonly amountCents: number;
  readonly currency: string;
}

/** Currencies whose minor unit is not a hundredth (ISO 4217). */
const EXPONENTS: Readonly<Record<string, number>> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
};

/** Decimal places of a currency: 0, 2 or 3. */
export const currencyExponent = (currency: string): number => EXPONENTS[currency] ?? 2;

/** Upper bound of one amount (storefront-domain section 1). */
export const MAX_AMOUNT_CENTS = 100_000_000_000;

/**
 * A share of an amount, rounded half up, computed without floats.
 *
 * @param amountCents minor units, may be negative
 * @param bps basis points, 10000 = 100 %
 * @throws RangeError when a value is no safe integer
 */
export function shareOf(amountCents: number, bps: number): number {
  if (!Number.isSafeInteger(amountCents) || !Number.isSafeInteger(bps)) {
    throw new RangeError('money is computed in whole minor units');
  }
  const product = BigInt(amountCents) * BigInt(bps);
  const negative = product < 0n;
  const rounded = ((negative ? -product : product) + 5_000n) / 10_000n;
  return Number(negative ? -rounded : rounded);
}

/** A quotient of whole numbers that are not negative, a half rounded up (storefront-promotions 1). */
export const roundHalfUp = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

/**
 * Splits an amount by weights to the last minor unit: what whole shares leave over goes to those with the largest
 * remainders, among equal ones to the earlier. While the amount is not above the sum of the weights, no share is above
 * its weight (storefront-promotions 1).
 *
 * @param amountCents minor units, at least 0
 * @param weights whole numbers, at least 0
 * @returns a share for each weight; they add up to the amount, or are all 0 when all weights are
 */
export function splitByWeight(amountCents: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + BigInt(weight), 0n);
  if (sum === 0n || amountCents === 0) return weights.map(() => 0);
  const products = weights.map((weight) => BigInt(amountCents) * BigInt(weight));
  const shares = products.map((product) => Number(product / sum));
  const remainders = products.map((product) => product % sum);
  const missing = shares.reduce((left, share) => left - share, amountCents);
  const byRemainder = weights
    .map((_, at) => at)
    .sort((one, other) => {
      const [a, b] = [remainders[one] as bigint, remainders[other] as bigint];
      return a === b ? one - other : a > b ? -1 : 1;
    });
  for (const at of byRemainder.slice(0, missing)) shares[at] = (shares[at] as number) + 1;
  return shares;
}

/** `1234` in `EUR` as `12.34 EUR`, without locale: for logs and the terminal. */
export function formatMoney({ amountCents, currency }: Money): string {
  const exponent = currencyExponent(currency);
  const digits = String(Math.abs(amountCents)).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = exponent === 0 ? '' : `.${digits.slice(-exponent)}`;
  return `${amountCents < 0 ? '-' : ''}${whole}${fraction} ${currency}`;
}
