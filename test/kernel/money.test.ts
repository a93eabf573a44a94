import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencyExponent, formatMoney, shareOf } from '../../src/kernel/money.ts';
import { always } from '../support/property.ts';

describe('shareOf', () => {
  it.each([
    [1000, 10_000, 1000],
    [1000, 0, 0],
    [999, 5000, 500],
    [1, 4999, 0],
    [1, 5000, 1],
    [-1, 5000, -1],
    [100_000_000_000, 8875, 88_750_000_000],
  ])('%i at %i basis points is %i', (amountCents, bps, expected) => {
    expect(shareOf(amountCents, bps)).toBe(expected);
  });

  it('a share and its complement differ from the whole by a rounding at most', () => {
    always(
      fc.property(
        fc.integer({ min: 0, max: 10 ** 11 }),
        fc.integer({ min: 0, max: 10_000 }),
        (amount, bps) => {
          const both = shareOf(amount, bps) + shareOf(amount, 10_000 - bps);
          return both - amount >= 0 && both - amount <= 1;
        },
      ),
    );
  });

  it('refuses fractions of a minor unit', () => {
    expect(() => shareOf(1.5, 100)).toThrow(RangeError);
    expect(() => shareOf(2 ** 53, 100)).toThrow(RangeError);
  });
});

describe('formatMoney', () => {
  it.each([
    [1234, 'EUR', '12.34 EUR'],
    [-5, 'USD', '-0.05 USD'],
    [1005, 'JPY', '1005 JPY'],
    [1234, 'KWD', '1.234 KWD'],
    [0, 'EUR', '0.00 EUR'],
  ])('%i %s is %s', (amountCents, currency, expected) => {
    expect(formatMoney({ amountCents, currency })).toBe(expected);
    expect([0, 2, 3]).toContain(currencyExponent(currency));
  });
});
