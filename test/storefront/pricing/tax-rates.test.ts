// Which rates of a zone are due on what is of a class at a time (storefront-promotions 8), and percent fields of forms.
import { expect, it, test } from 'vitest';
import { asPercent } from '#storefront/pricing/tax/percent-field.ts';
import { overlap, ratesAt, ratesOfClass } from '#storefront/pricing/tax/rates-at.ts';
import type { TaxRateRow } from '#storefront/pricing/tax/record.ts';

const NOW = '2026-06-01T00:00:00.000Z';
const BEFORE = '2026-05-31T23:59:59.999Z';
const AFTER = '2026-06-01T00:00:00.001Z';
const rate = (fields: Partial<TaxRateRow>): TaxRateRow => ({
  id: 'trt_1',
  zoneId: 'tzn_1',
  taxClassId: 'standard',
  name: 'VAT',
  ratePpm: 190_000,
  appliesToShipping: false,
  compound: false,
  validFrom: null,
  validTo: null,
  position: 0,
  createdAt: BEFORE,
  updatedAt: BEFORE,
  ...fields,
});
const zone = (id: string, country: string, rates: TaxRateRow[]) => ({
  id,
  createdAt: BEFORE,
  priority: 0,
  rates,
  regions: [{ country, state: null, postalPattern: null }],
});
const namesAt = (fields: Partial<TaxRateRow>, now = NOW) =>
  ratesOfClass([rate(fields)], 'standard', now).map(({ name }) => name);

test.each([
  [{}, 1],
  [{ taxClassId: 'reduced' }, 0],
  [{ validFrom: NOW }, 1],
  [{ validFrom: AFTER }, 0],
  [{ validTo: NOW }, 0],
  [{ validTo: AFTER }, 1],
  [{ validFrom: BEFORE, validTo: NOW }, 0],
  [{ validFrom: NOW, validTo: AFTER }, 1],
])('%j: %i rates hold at the time', (fields, count) => {
  expect(namesAt(fields)).toHaveLength(count);
});

it('the rates of the one zone that applies, as the price engine takes them', () => {
  const zones = [
    zone('world', '*', [rate({ name: 'Any' })]),
    zone('canada', 'CA', [
      rate({ name: 'GST', ratePpm: 50_000 }),
      rate({ name: 'QST', ratePpm: 99_750, compound: true }),
      rate({ name: 'Books', taxClassId: 'reduced' }),
    ]),
  ];
  const place = (country: string) => ({ country, state: null, postalCode: null });
  expect(ratesAt(zones, place('CA'), 'standard', NOW)).toEqual([
    { name: 'GST', ppm: 50_000, isCompound: false },
    { name: 'QST', ppm: 99_750, isCompound: true },
  ]);
  expect(ratesAt(zones, place('CA'), 'reduced', NOW).map(({ name }) => name)).toEqual(['Books']);
  expect(ratesAt(zones, place('CA'), 'zero', NOW)).toEqual([]);
  expect(ratesAt(zones, place('FR'), 'standard', NOW).map(({ name }) => name)).toEqual(['Any']);
  expect(ratesAt(zones.slice(1), place('FR'), 'standard', NOW)).toEqual([]);
});

it('shipping is taxed by rates that say so', () => {
  const rates = [rate({ name: 'Goods' }), rate({ name: 'Both', appliesToShipping: true })];
  expect(ratesOfClass(rates, 'standard', NOW, true).map(({ name }) => name)).toEqual(['Both']);
  expect(ratesOfClass(rates, 'standard', NOW)).toHaveLength(2);
});

test.each([
  [{}, {}, true],
  [{ validTo: NOW }, { validFrom: NOW }, false],
  [{ validTo: AFTER }, { validFrom: NOW }, true],
  [{ validFrom: NOW }, { validTo: NOW }, false],
  [{ validFrom: BEFORE, validTo: NOW }, {}, true],
])('%j and %j are due at once: %s', (one, other, expected) => {
  expect(overlap(rate(one), rate(other))).toBe(expected);
  expect(overlap(rate(other), rate(one))).toBe(expected);
});

test.each([
  ['19', 190_000],
  ['8.875', 88_750],
  ['8,875 %', 88_750],
  ['0', 0],
  ['100%', 1_000_000],
  ['0.0001', 1],
])('%s is %i parts per million', (text, ppm) => {
  expect(asPercent().read(text)).toEqual({ value: ppm });
  expect(asPercent().read(asPercent().text(ppm))).toEqual({ value: ppm });
});

test.each(['', '-1', '1.23456', '19 percent', '1e2', '1000'])('%s is not a percentage', (text) => {
  expect(asPercent().read(text)).toHaveProperty('fault');
});
