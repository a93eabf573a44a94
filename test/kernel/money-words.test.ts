import { expect, it } from 'vitest';
import { moneyWords } from '#kernel/money-words.ts';

const plain = (text: string): string =>
  text.replace(/[\u00a0\u202f]/g, ' ').replace(/[\u200e\u200f\u061c]/g, '');

it.each([
  ['USD', 'en', 123456, '$1,234.56'],
  ['EUR', 'de', 123456, '1.234,56 €'],
  ['JPY', 'ja', 1234, '￥1,234'],
  ['BHD', 'en', 1234567, 'BHD 1,234.567'],
  ['INR', 'en', 12345600, '₹123,456.00'],
  ['EUR', 'fr', 123456, '1 234,56 €'],
  ['EUR', 'es', 1234567, '12.345,67 €'],
  ['EUR', 'pt', 123456, '€ 1.234,56'],
  ['USD', 'en', -5, '-$0.05'],
  ['USD', 'en', 0, '$0.00'],
])('%s in %s: %d', (currency, locale, amountCents, text) => {
  expect(plain(moneyWords({ amountCents, currency }, locale))).toBe(text);
});

it('is exact beyond what a number can hold, and takes a symbol in place of the own one', () => {
  const amountCents = 2n ** 53n + 1n;
  expect(moneyWords({ amountCents, currency: 'USD' }, 'en')).toBe('$90,071,992,547,409.93');
  expect(plain(moneyWords({ amountCents: 100, currency: 'EUR' }, 'de', 'Taler'))).toBe('1,00 Taler');
});

it.each(['en', 'de', 'fr', 'es', 'pt', 'ja', 'ar'])(
  'every currency has the digits of its own in %s',
  (locale) => {
    const digits = (text: string): number => (text.match(/\p{Nd}/gu) ?? []).length;
    const of = (currency: string): number => digits(moneyWords({ amountCents: 1_234_567, currency }, locale));
    expect(['USD', 'EUR', 'JPY', 'BHD', 'INR'].map(of)).toEqual([7, 7, 7, 7, 7]);
  },
);
