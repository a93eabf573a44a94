import { currencyExponent, type Money } from './money.ts';

/** Also beyond what a number can hold. */
type Amount = { readonly amountCents: number | bigint } & Pick<Money, 'currency'>;

/** Locales times currencies: a shop has one currency and some languages. */
const MOST_KEPT = 200;
const formats = new Map<string, Intl.NumberFormat>();

/** Making a format takes longer than using it a thousand times. */
function formatOf(locale: string, currency: string): Intl.NumberFormat {
  const key = `${locale} ${currency}`;
  let format = formats.get(key);
  if (!format) {
    // Intl's own places differ from those of ISO 4217 for a few currencies, such as ISK.
    const places = currencyExponent(currency);
    const fraction = { minimumFractionDigits: places, maximumFractionDigits: places };
    format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...fraction });
    if (formats.size >= MOST_KEPT) formats.clear();
    formats.set(key, format);
  }
  return format;
}

/** `1234` of EUR as `12.34`: as programs read it, exact for any size. */
export function decimalOf({ amountCents, currency }: Amount): string {
  const places = currencyExponent(currency);
  const digits = String(amountCents)
    .replace('-', '')
    .padStart(places + 1, '0');
  const sign = amountCents < 0 ? '-' : '';
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/**
 * An amount as people read it (shop-pages 7).
 *
 * @param locale BCP 47, such as `de`
 * @param symbol in place of the one that the locale has for the currency
 */
export function moneyWords({ amountCents, currency }: Amount, locale: string, symbol?: string): string {
  // The decimal as text: a divided number would round, and one beyond 2^53 would be another.
  const decimal = decimalOf({ amountCents, currency }) as Intl.StringNumericLiteral;
  const format = formatOf(locale, currency);
  if (symbol === undefined) return format.format(decimal);
  const parts = format.formatToParts(decimal);
  return parts.map(({ type, value }) => (type === 'currency' ? symbol : value)).join('');
}
