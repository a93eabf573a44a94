// What holds for every cart, whatever is in it: money neither appears nor disappears (storefront-promotions 13).
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Price,
  type PricedCart,
  type Promotion,
  price,
  refundPart,
  type Stacking,
} from '#storefront/pricing/engine/index.ts';
import { cartOf, promotionOf, ratesOf, type VectorPromotion } from './carts.ts';

const sum = (amounts: readonly number[]) => amounts.reduce((total, one) => total + one, 0);
const products = ['A', 'B', 'C', 'D', 'E'];
/** Small ones, whose fractions matter, and the largest that are allowed. */
const cents = fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 100_000_000 }));
const ppm = fc.constantFrom(0, 50_000, 70_000, 88_750, 190_000, 200_000, 250_000);
const rates = fc
  .tuple(fc.array(ppm, { maxLength: 3 }), fc.boolean())
  .map(([ppms, hasCompound]) =>
    ratesOf(ppms).map((rate, at) => ({ ...rate, isCompound: hasCompound && at === ppms.length - 1 })),
  );
const pool = fc.subarray(products, { minLength: 1 });
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

const bogo = fc.record({
  type: fc.constant('bogo' as const),
  x: fc.integer({ min: 1, max: 4 }),
  y: fc.integer({ min: 1, max: 3 }),
  buy: pool,
  get: maybe(pool),
  get_selection: fc.constantFrom('grouped' as const, 'cheapest' as const),
  max_sets: maybe(fc.integer({ min: 1, max: 3 })),
  get_bps: maybe(fc.integer({ min: 1, max: 10_000 })),
  get_amount: maybe(cents),
});
const items = fc.record({
  class: fc.constant('item' as const),
  effect: fc.constantFrom('percent' as const, 'fixed_amount' as const, 'fixed_price' as const),
  value: fc.integer({ min: 1, max: 10_000 }),
  scope: fc.constantFrom('per_unit' as const, 'once' as const),
  applies_to: maybe(pool),
  max_units: maybe(fc.integer({ min: 1, max: 6 })),
});
const orders = fc.record({
  class: fc.constant('order' as const),
  effect: fc.constantFrom('percent' as const, 'fixed_amount' as const),
  value: fc.integer({ min: 1, max: 10_000 }),
});
const shippings = fc.record({
  class: fc.constant('shipping' as const),
  effect: fc.constantFrom('free_shipping' as const, 'percent' as const, 'fixed_amount' as const),
  value: fc.integer({ min: 1, max: 10_000 }),
});
const any = fc.record({
  code: maybe(fc.constantFrom('ONE', 'TWO')),
  priority: fc.integer({ min: 1, max: 3 }),
  max_discount: maybe(fc.integer({ min: 1, max: 3000 })),
  min_subtotal: maybe(fc.integer({ min: 1, max: 10_000 })),
  stackable: fc.constantFrom(0, 1),
  combines: fc.subarray(['item' as const, 'order' as const, 'shipping' as const]),
  group: maybe(fc.constantFrom('G', 'H')),
});
const withIds = (list: readonly (readonly [object, object])[]): Promotion[] =>
  list.map(([one, more], at) => promotionOf({ ...one, ...more, id: `p${at}` } as VectorPromotion));
const promotions = fc
  .array(fc.tuple(fc.oneof(bogo, items, orders, shippings), any), { maxLength: 6 })
  .map(withIds);

const carts = fc
  .record({
    lines: fc.array(
      fc.record({
        product: fc.constantFrom(...products),
        unit: cents,
        qty: fc.integer({ min: 1, max: 9 }),
        discountable: fc.constantFrom(1, 1, 1, 0),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    lineRates: fc.array(rates, { minLength: 5, maxLength: 5 }),
    shippingRates: rates,
    shipping: fc.integer({ min: 0, max: 2000 }),
    incl: fc.constantFrom(0, 1),
    tax_round_at: fc.constantFrom('line' as const, 'total' as const),
    loyalty: fc.constantFrom(0, 0, 700, 50_000),
    gift_cards: fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 3 }),
    isExempt: fc.constantFrom(false, false, false, true),
  })
  .map(({ lineRates, shippingRates, isExempt, ...one }): PricedCart => {
    const cart = cartOf({ ...one, codes: ['ONE'] });
    return {
      ...cart,
      isExempt,
      lines: cart.lines.map((line, at) => ({ ...line, rates: lineRates[at] ?? [] })),
      shipping: { ...cart.shipping, rates: shippingRates },
    };
  });
const stackings = fc.record({
  mode: fc.constantFrom<Stacking['mode'][]>('none', 'best_wins', 'controlled'),
  maxStack: fc.integer({ min: 1, max: 5 }),
});

/** Every amount of a price is a part of another one. */
function requireBalance(cart: PricedCart, { lines, shipping, applied, giftCards, totals }: Price): void {
  for (const [at, line] of lines.entries()) {
    const off = line.itemDiscountCents + line.orderDiscountCents;
    expect(off).toBeGreaterThanOrEqual(0);
    expect(off).toBeLessThanOrEqual(cart.lines[at]?.isDiscountable ? line.subtotalCents : 0);
    expect(sum(line.parts)).toBe(line.taxCents);
    const paid = line.subtotalCents - off;
    if (!cart.includesTax) expect([line.netCents, line.totalCents]).toEqual([paid, paid + line.taxCents]);
    else if (cart.isExempt) expect([line.taxCents, line.totalCents]).toEqual([0, line.netCents]);
    else expect([line.netCents + line.taxCents, line.totalCents]).toEqual([paid, paid]);
  }
  const discounts = totals.itemDiscountCents + totals.orderDiscountCents + totals.loyaltyDiscountCents;
  expect(sum(lines.map((line) => line.itemDiscountCents + line.orderDiscountCents))).toBe(discounts);
  expect(sum(applied.map(({ amountCents }) => amountCents)) + totals.loyaltyDiscountCents).toBe(
    discounts + totals.shippingDiscountCents,
  );
  expect(sum(shipping.parts)).toBe(shipping.taxCents);
  expect(sum(lines.map(({ taxCents }) => taxCents)) + shipping.taxCents).toBe(totals.taxCents);
  const added = cart.includesTax ? -totals.taxReliefCents : totals.taxCents;
  expect(totals.totalCents).toBe(
    totals.subtotalCents - discounts + totals.shippingCents - totals.shippingDiscountCents + added,
  );
  expect(totals.dueCents + sum(giftCards)).toBe(totals.totalCents);
  for (const amount of Object.values(totals)) expect(amount).toBeGreaterThanOrEqual(0);
}

it('10,000 carts: amounts add up, none is below zero, and no mode applies more than it may', () => {
  fc.assert(
    fc.property(carts, promotions, stackings, (cart, list, stacking) => {
      const priced = price(cart, list, stacking);
      requireBalance(cart, priced);
      const most = { none: 1, best_wins: 2, controlled: stacking.maxStack }[stacking.mode];
      expect(priced.applied.length).toBeLessThanOrEqual(most);
      if (stacking.mode !== 'best_wins') return;
      const savings = priced.candidates.filter(({ promotion }) => promotion.class !== 'shipping');
      const winner = priced.applied.find(({ promotion }) => promotion.class !== 'shipping');
      for (const { savingCents } of savings) expect(winner?.amountCents).toBeGreaterThanOrEqual(savingCents);
    }),
    { numRuns: 10_000 },
  );
});

it('the order of lines does not matter when no two cost the same', () => {
  fc.assert(
    fc.property(carts, promotions, stackings, fc.integer(), (cart, list, stacking, seed) => {
      const { lines } = cart;
      fc.pre(new Set(lines.map(({ unitCents }) => unitCents)).size === lines.length);
      const turned = lines.map(
        (_, at) => lines[(at + Math.abs(seed)) % lines.length] as (typeof lines)[number],
      );
      const off = ({ totals: t }: Price) =>
        t.itemDiscountCents + t.orderDiscountCents + t.loyaltyDiscountCents + t.shippingDiscountCents;
      expect(off(price({ ...cart, lines: turned }, list, stacking))).toBe(off(price(cart, list, stacking)));
    }),
    { numRuns: 2000 },
  );
});

it('one more unit never lowers what buy-one-get-one gives on one pool', () => {
  const alike = fc
    .array(
      fc.tuple(
        bogo.map((one) => ({ ...one, get: one.buy, get_selection: 'grouped' as const })),
        any,
      ),
      {
        maxLength: 3,
      },
    )
    .map(withIds);
  fc.assert(
    fc.property(carts, alike, fc.nat(), (cart, list, n) => {
      const stacking: Stacking = { mode: 'best_wins', maxStack: 5 };
      const at = n % cart.lines.length;
      const lines = cart.lines.map((line, place) =>
        place === at ? { ...line, quantity: line.quantity + 1 } : line,
      );
      const off = ({ totals }: Price) => totals.itemDiscountCents;
      expect(off(price({ ...cart, lines }, list, stacking))).toBeGreaterThanOrEqual(
        off(price(cart, list, stacking)),
      );
    }),
    { numRuns: 2000 },
  );
});

it('units that go back one after the other are worth what the line cost', () => {
  fc.assert(
    fc.property(
      cents,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }),
      (total, steps) => {
        const quantity = sum(steps);
        let before = 0;
        const parts = steps.map((units) => {
          const part = refundPart(total, quantity, before, units);
          before += units;
          return part;
        });
        expect(sum(parts)).toBe(total);
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});
