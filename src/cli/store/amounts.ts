import { currencyExponent } from '#kernel/money.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { usageError } from '../frame/errors.ts';

/** An amount as a terminal shows it. */
export const words = (amountCents: number, { currency }: { readonly currency: string }): string =>
  moneyWords({ amountCents, currency }, 'en');

/** `19.00` in the smallest unit. @param flag where it was typed @throws usage error (2) */
export function centsIn(text: string, currency: string, flag: string): number {
  const places = currencyExponent(currency);
  const [, whole = '', fraction = ''] = /^(\d{1,9})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole !== '' && fraction.length <= places) return Number(whole + fraction.padEnd(places, '0'));
  const example = places === 0 ? '1900' : `19.${'0'.repeat(places)}`;
  throw usageError(`--${flag} ${text} is not an amount in ${currency}`, `write it as ${example}`);
}
