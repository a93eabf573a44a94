import { currencyExponent } from '#kernel/money.ts';

/** Currencies that PayPal takes, with the decimal places that it writes them with. */
const PLACES: ReadonlyMap<string, number> = new Map([
  ...[
    'AUD',
    'BRL',
    'CAD',
    'CHF',
    'CNY',
    'CZK',
    'DKK',
    'EUR',
    'GBP',
    'HKD',
    'ILS',
    'MXN',
    'MYR',
    'NOK',
    'NZD',
  ].map((code) => [code, 2] as const),
  ...['PHP', 'PLN', 'SEK', 'SGD', 'THB', 'USD'].map((code) => [code, 2] as const),
  ...['HUF', 'JPY', 'TWD'].map((code) => [code, 0] as const),
]);

const withPlaces = (digits: string, places: number): string => {
  const padded = digits.padStart(places + 1, '0');
  return places === 0 ? padded : `${padded.slice(0, -places)}.${padded.slice(-places)}`;
};

/**
 * An amount as PayPal writes it: `19.99`, of some currencies without decimal places.
 *
 * @returns null for an amount that PayPal cannot take, such as a part of a forint, or any dinar
 */
export function toValue(amountCents: number, currency: string): string | null {
  const places = PLACES.get(currency);
  if (places === undefined) return null;
  const dropped = currencyExponent(currency) - places;
  const units = amountCents / 10 ** dropped;
  return Number.isSafeInteger(units) ? withPlaces(String(units), places) : null;
}

/** Minor units of ISO 4217 in what PayPal wrote; digits beyond them are not kept. */
export function fromValue(value: string | undefined, currency: string): number {
  const [, whole = '0', fraction = ''] = /^(\d+)(?:\.(\d*))?$/.exec(value ?? '') ?? [];
  const places = currencyExponent(currency);
  return Number(whole + fraction.padEnd(places, '0').slice(0, places));
}
