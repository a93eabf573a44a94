import { currencyExponent } from '#kernel/money.ts';

/** Decimal places that Stripe counts in where they are not those of ISO 4217: two for two old currencies, none for one. */
const PLACES: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };

/** Of three decimal places the last must be 0: cards know two. */
const TENFOLD: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);

const placesOf = (currency: string): number => PLACES[currency] ?? currencyExponent(currency);

/**
 * An amount as Stripe counts it.
 *
 * @returns null for an amount that Stripe cannot charge, such as 1.234 BHD
 */
export function toUnits(amountCents: number, currency: string): number | null {
  const shift = placesOf(currency) - currencyExponent(currency);
  const units = shift >= 0 ? amountCents * 10 ** shift : amountCents / 10 ** -shift;
  if (!Number.isSafeInteger(units)) return null;
  return TENFOLD.has(currency) && units % 10 !== 0 ? null : units;
}

/** What Stripe counted, in minor units of ISO 4217; a part of one is not kept. */
export function fromUnits(units: number, currency: string): number {
  const shift = placesOf(currency) - currencyExponent(currency);
  return Math.trunc(shift >= 0 ? units / 10 ** shift : units * 10 ** -shift);
}
