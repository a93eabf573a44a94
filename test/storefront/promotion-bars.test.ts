// Why a promotion is out before the cart is looked at: its time, its uses, the customer and the place.
import { expect, it } from 'vitest';
import {
  barOf,
  type EnteredCode,
  type Moment,
  pricedOf,
  type Shopper,
} from '#storefront/pricing/promotions/bar.ts';
import { dayAndTime } from '#storefront/pricing/promotions/local-time.ts';
import type { Promotion, PromotionCode } from '#storefront/pricing/promotions/record.ts';

const NOW = '2026-11-27T12:00:00.000Z';
const promotion = (fields: Partial<Promotion> = {}): Promotion => ({
  id: 'pro_1',
  name: 'P',
  type: 'automatic',
  class: 'order',
  effect: 'percent',
  value: 1000,
  scope: 'per_unit',
  appliesTo: 'all',
  excludes: null,
  excludeSale: false,
  maxUnits: null,
  maxDiscountCents: null,
  buy: null,
  get: null,
  buyQuantity: null,
  getQuantity: null,
  getEffect: 'percent',
  getValue: 10_000,
  getSelection: 'grouped',
  maxSets: null,
  minSubtotalCents: null,
  minQuantity: null,
  customerRule: { kind: 'all', values: [] },
  shippingRule: { countries: [], methodIds: [] },
  scheduleRule: null,
  code: null,
  priority: 100,
  stackable: false,
  combinesWith: [],
  exclusionGroup: null,
  usageLimit: null,
  usageLimitPerCustomer: null,
  usedCount: 0,
  status: 'active',
  startsAt: null,
  endsAt: null,
  lockedAt: null,
  version: 1,
  createdAt: NOW,
  updatedAt: NOW,
  ...fields,
});
const guest: Shopper = { customerId: null, emailNorm: null, isFirstOrder: true, groupIds: [] };
const moment = (fields: Partial<Moment> = {}): Moment => ({
  now: NOW,
  zone: 'UTC',
  country: null,
  shippingMethodId: null,
  ...fields,
});
const code = (fields: Partial<PromotionCode> = {}): EnteredCode => ({
  codeNorm: 'A',
  row: {
    id: 'pcd_1',
    promotionId: 'pro_1',
    code: 'a',
    usageLimit: 1,
    usedCount: 0,
    disabledAt: null,
    expiresAt: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...fields,
  },
});
const bar = (
  fields: Partial<Promotion>,
  { shopper = {}, at = {}, entered = null as readonly EnteredCode[] | null, uses = 0 } = {},
) => barOf(promotion(fields), { ...guest, ...shopper }, moment(at), { entered, usesOfCustomer: uses });

it('its window is half-open', () => {
  const window = { startsAt: '2026-11-27T12:00:00.000Z', endsAt: '2026-11-28T12:00:00.000Z' };
  const at = (now: string) => bar(window, { at: { now } });
  expect(at('2026-11-27T11:59:59.999Z')).toBe('not_started');
  expect(at('2026-11-27T12:00:00.000Z')).toBe(null);
  expect(at('2026-11-28T11:59:59.999Z')).toBe(null);
  expect(at('2026-11-28T12:00:00.000Z')).toBe('expired');
});

it.each([
  ['draft', 'not_started'],
  ['paused', 'expired'],
  ['archived', 'expired'],
  ['active', null],
] as const)('%s is %s', (status, expected) => expect(bar({ status })).toBe(expected));

it('its hours are those of the shop, also when clocks change', () => {
  // Friday; Berlin is one hour ahead in winter and two in summer.
  const scheduleRule = { days: [5, 6, 7], from: '09:00', to: '24:00' };
  const at = (now: string, zone: string) => bar({ scheduleRule }, { at: { now, zone } });
  expect(at('2026-11-27T07:59:59.999Z', 'Europe/Berlin')).toBe('not_started');
  expect(at('2026-11-27T08:00:00.000Z', 'Europe/Berlin')).toBe(null);
  expect(at('2026-07-31T07:00:00.000Z', 'Europe/Berlin')).toBe(null);
  expect(at('2026-07-31T06:59:00.000Z', 'Europe/Berlin')).toBe('not_started');
  expect(at('2026-11-27T22:59:59.999Z', 'Europe/Berlin')).toBe(null);
  // It is Saturday there, and not yet nine.
  expect(at('2026-11-27T23:00:00.000Z', 'Europe/Berlin')).toBe('not_started');
  expect(at('2026-11-26T20:00:00.000Z', 'Asia/Tokyo')).toBe('not_started');
  expect(at('2026-11-27T00:00:00.000Z', 'Asia/Tokyo')).toBe(null);
  expect(dayAndTime('2026-11-29T00:30:00.000Z', 'UTC')).toEqual({ day: 7, time: '00:30' });
});

it('its uses, those of the customer and those of the code are limited', () => {
  expect(bar({ usageLimit: 2, usedCount: 1 })).toBe(null);
  expect(bar({ usageLimit: 2, usedCount: 2 })).toBe('exhausted');
  expect(bar({ usageLimitPerCustomer: 2 }, { uses: 1 })).toBe(null);
  expect(bar({ usageLimitPerCustomer: 2 }, { uses: 2 })).toBe('per_customer_limit');
  const with1 = (fields: Partial<PromotionCode>) => bar({ type: 'coupon' }, { entered: [code(fields)] });
  expect(with1({})).toBe(null);
  expect(with1({ usedCount: 1 })).toBe('exhausted');
  expect(with1({ usageLimit: null, usedCount: 9 })).toBe(null);
  expect(with1({ disabledAt: NOW })).toBe('expired');
  expect(with1({ expiresAt: NOW })).toBe('expired');
  expect(with1({ expiresAt: '2026-11-27T12:00:00.001Z' })).toBe(null);
  const both = [code({ usedCount: 1 }), { ...code(), codeNorm: 'B' }];
  expect(bar({ type: 'coupon' }, { entered: both })).toBe(null);
  const standing = { entered: both, usesOfCustomer: 0 };
  expect(pricedOf(promotion({ type: 'coupon' }), guest, moment(), standing).codes).toEqual(['B']);
});

it('it is for some customers', () => {
  const rule = (kind: 'logged_in' | 'first_order', shopper: Partial<Shopper>) =>
    bar({ customerRule: { kind, values: [] } }, { shopper });
  expect(rule('logged_in', {})).toBe('customer');
  expect(rule('logged_in', { customerId: 'cst_1' })).toBe(null);
  expect(rule('first_order', {})).toBe(null);
  expect(rule('first_order', { isFirstOrder: false })).toBe('customer');
  const at = (emailNorm: string | null) =>
    bar({ customerRule: { kind: 'email_domains', values: ['example.com'] } }, { shopper: { emailNorm } });
  expect(at('ann@example.com')).toBe(null);
  expect(at('ann@sub.example.com')).toBe('customer');
  expect(at('ann@notexample.com')).toBe('customer');
  expect(at(null)).toBe('customer');
});

it('shipping is cheaper in some places, by some methods', () => {
  const free = { class: 'shipping', effect: 'free_shipping', value: 0 } as const;
  const to = (country: string | null, shippingMethodId: string | null = null) =>
    bar(
      { ...free, shippingRule: { countries: ['DE'], methodIds: shippingMethodId ? ['smt_1'] : [] } },
      { at: { country, shippingMethodId } },
    );
  expect([to('DE'), to('FR'), to(null)]).toEqual([null, 'customer', 'customer']);
  expect([to('DE', 'smt_1'), to('DE', 'smt_2')]).toEqual([null, 'customer']);
});

it('the first reason wins: time, uses, uses of the customer, customer', () => {
  const all = {
    endsAt: NOW,
    usageLimit: 1,
    usedCount: 1,
    usageLimitPerCustomer: 1,
    customerRule: { kind: 'logged_in', values: [] as string[] },
  } as const;
  const known = { uses: 1 };
  expect(bar({ ...all, customerRule: { kind: 'logged_in', values: [] } }, known)).toBe('expired');
  const later = { ...all, customerRule: { kind: 'logged_in' as const, values: [] }, endsAt: null };
  expect(bar(later, known)).toBe('exhausted');
  expect(bar({ ...later, usageLimit: null }, known)).toBe('per_customer_limit');
  expect(bar({ ...later, usageLimit: null, usageLimitPerCustomer: null }, known)).toBe('customer');
});

it('is handed to the price engine as it takes it', () => {
  const priced = (fields: Partial<Promotion>) =>
    pricedOf(promotion(fields), guest, moment(), { entered: null, usesOfCustomer: 0 });
  expect(priced({})).toMatchObject({
    class: 'order',
    effect: 'percent',
    value: 1000,
    codes: null,
    bar: null,
  });
  expect(priced({ class: 'item', excludes: { tags: ['SALE'] }, maxUnits: 2 })).toMatchObject({
    class: 'item',
    appliesTo: 'all',
    excludes: { tags: ['SALE'] },
    maxUnits: 2,
    excludesSale: false,
  });
  const buy = { categories: ['cat_1'] };
  expect(
    priced({ type: 'bogo', class: 'item', effect: 'bogo', buy, buyQuantity: 2, getQuantity: 1 }),
  ).toMatchObject({ buy, get: buy, buyQuantity: 2, getQuantity: 1, getEffect: 'percent', getValue: 10_000 });
});
