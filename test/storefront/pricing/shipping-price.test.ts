// What a method of shipping costs (storefront-domain 5): its kinds, ranges, units, handling, and what makes it free.
import { expect, it, test } from 'vitest';
import { type Parcel, priceOf } from '#storefront/pricing/shipping/price-of.ts';

type Method = Parameters<typeof priceOf>[0];
const method = (kind: Method['kind'], freeOverCents: number | null = null): Method => ({
  kind,
  freeOverCents,
});
const rate = (min: number, max: number | null, priceCents: number, perUnitCents = 0) => ({
  min,
  max,
  priceCents,
  perUnitCents,
});
const parcel = (fields: Partial<Parcel> = {}): Parcel => ({
  weightG: 1500,
  merchandiseCents: 4000,
  itemCount: 3,
  handlingCents: 0,
  ...fields,
});

const byWeight = [rate(0, 1000, 490), rate(1000, 5000, 690, 100)];

test.each([
  [0, 490],
  [999, 490],
  [1000, 690],
  [1001, 790],
  [2000, 790],
  [2001, 890],
  [4999, 1090],
  [5000, null],
])('%i g cost %s', (weightG, expected) => {
  expect(priceOf(method('weight'), byWeight, parcel({ weightG }))).toBe(expected);
});

const byPrice = [rate(0, 5000, 500), rate(5000, 10_000, 250), rate(20_000, null, 0)];

test.each([
  [0, 500],
  [4999, 500],
  [5000, 250],
  [9999, 250],
  [10_000, null],
  [20_000, 0],
])('merchandise of %i costs %s', (merchandiseCents, expected) => {
  expect(priceOf(method('price'), byPrice, parcel({ merchandiseCents }))).toBe(expected);
});

test.each([
  [1, 300],
  [2, 400],
  [5, 700],
])('%i items cost %i', (itemCount, expected) => {
  expect(priceOf(method('item'), [rate(1, null, 300, 100)], parcel({ itemCount }))).toBe(expected);
});

it('flat costs the same, whatever is shipped', () => {
  const rates = [rate(0, null, 590)];
  expect(priceOf(method('flat'), rates, parcel())).toBe(590);
  expect(priceOf(method('flat'), rates, parcel({ weightG: 0, merchandiseCents: 0 }))).toBe(590);
});

it('a method without a rate is not offered', () => {
  for (const kind of ['flat', 'weight', 'price', 'item'] as const)
    expect(priceOf(method(kind), [], parcel())).toBeNull();
  expect(priceOf(method('flat', 0), [], parcel())).toBeNull();
});

it('handling is added once', () => {
  const more = parcel({ handlingCents: 250 });
  expect(priceOf(method('flat'), [rate(0, null, 590)], more)).toBe(840);
  expect(priceOf(method('weight'), byWeight, more)).toBe(1040);
  expect(priceOf(method('price'), byPrice, more)).toBe(750);
  expect(priceOf(method('item'), [rate(0, null, 300)], more)).toBe(550);
});

it('free and pickup cost nothing, with handling too', () => {
  for (const kind of ['free', 'pickup'] as const)
    expect(priceOf(method(kind), [], parcel({ handlingCents: 250 }))).toBe(0);
});

test.each([
  [3999, 840],
  [4000, 0],
  [4001, 0],
])('free from 4000: merchandise of %i costs %i', (merchandiseCents, expected) => {
  const handled = parcel({ merchandiseCents, handlingCents: 250 });
  expect(priceOf(method('flat', 4000), [rate(0, null, 590)], handled)).toBe(expected);
});

it('what makes it free does not offer what has no rate for the parcel', () => {
  expect(priceOf(method('weight', 100), byWeight, parcel({ weightG: 6000 }))).toBeNull();
});
