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

/** `1234` in `EUR` as `12.34 EUR`, without locale: for logs and the terminal. */
export function formatMoney({ amountCents, currency }: Money): string {
  const exponent = currencyExponent(currency);
  const digits = String(Math.abs(amountCents)).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = exponent === 0 ? '' : `.${digits.slice(-exponent)}`;
  return `${amountCents < 0 ? '-' : ''}${whole}${fraction} ${currency}`;
}
