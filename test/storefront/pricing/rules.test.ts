// Rules of the price engine that the worked examples do not show: targets, refusals, stacks, compound and exempt tax.
import { describe, expect, it } from 'vitest';
import {
  type CartLine,
  type PricedCart,
  type Promotion,
  price,
  type Stacking,
} from '#storefront/pricing/engine/index.ts';
import { cartOf, promotionOf, ratesOf, type VectorPromotion } from './carts.ts';

const STACK = { stackable: 1, combines: ['item', 'order', 'shipping'] } as const;
const half = { class: 'item', effect: 'percent', value: 5000 } as const;
const tenth = { class: 'order', effect: 'percent', value: 1000 } as const;
const best: Stacking = { mode: 'best_wins', maxStack: 5 };
const controlled: Stacking = { mode: 'controlled', maxStack: 5 };

const list = (...promos: Omit<VectorPromotion, 'id'>[]): Promotion[] =>
  promos.map((one, at) => promotionOf({ id: `p${at + 1}`, ...one }));
const one = (unit: number, qty = 1, more: Partial<CartLine> = {}): PricedCart => {
  const cart = cartOf({ lines: [{ product: 'A', unit, qty }] });
  return { ...cart, lines: cart.lines.map((line) => ({ ...line, ...more })) };
};
const applied = (cart: PricedCart, promotions: Promotion[], stacking: Stacking) =>
  price(cart, promotions, stacking).applied.map(({ promotion, amountCents }) => [promotion.id, amountCents]);
const refusals = (cart: PricedCart, promotions: Promotion[], stacking = best) =>
  price(cart, promotions, stacking).refused.map(({ promotion, refusal }) => [promotion.id, refusal]);

describe('what a promotion is for', () => {
  const line = { variantId: 'v', categoryIds: ['c1', 'c2'], collectionIds: ['k'], tags: ['SALE'] };
  it.each([
    ['all', 'all' as const, 500],
    ['its variant', { variants: ['v'] }, 500],
    ['its product', { products: ['A'] }, 500],
    ['one of its categories', { categories: ['x', 'c2'] }, 500],
    ['its collection', { collections: ['k'] }, 500],
    ['its tag', { tags: ['SALE'] }, 500],
    [
      'other things',
      { products: ['v'], variants: ['A'], categories: ['k'], collections: ['c1'], tags: ['sale'] },
      0,
    ],
    ['nothing', {}, 0],
  ])('%s', (_name, targets, off) => {
    const [promotion] = list(half);
    const cart = one(1000, 1, line);
    expect(
      price(cart, [{ ...promotion, appliesTo: targets } as Promotion], best).totals.itemDiscountCents,
    ).toBe(off);
    const excluding = { ...promotion, appliesTo: 'all', excludes: targets } as Promotion;
    expect(price(cart, [excluding], best).totals.itemDiscountCents).toBe(500 - off);
  });

  it('lines that are on sale are left out where the promotion says so, of sets too', () => {
    const cart = one(1000, 4, { isOnSale: true });
    for (const promotion of list(half, { type: 'bogo' })) {
      expect(price(cart, [promotion], best).totals.itemDiscountCents).toBe(2000);
      expect(
        price(cart, [{ ...promotion, excludesSale: true } as Promotion], best).totals.itemDiscountCents,
      ).toBe(0);
    }
  });

  it('a unit that costs nothing neither buys nor gets, and fills no place', () => {
    const cart = cartOf({
      lines: [
        { product: 'A', unit: 0, qty: 5 },
        { product: 'B', unit: 1000, qty: 1 },
      ],
    });
    expect(applied(cart, list({ type: 'bogo' }), best)).toEqual([]);
    expect(applied(cart, list({ ...half, max_units: 1 }), best)).toEqual([['p1', 500]]);
    expect(refusals(cart, list({ ...half, min_quantity: 2 }))).toEqual([
      ['p1', { reason: 'min_quantity', missingQuantity: 1 }],
    ]);
  });
});

describe('refusals, the first in the order of tests', () => {
  it('a code that was not entered is not spoken of', () => {
    expect(price(one(1000), list({ ...half, code: 'X' }), best).refused).toEqual([]);
  });

  it('what is missing is told', () => {
    const cart = one(1000, 2);
    expect(
      refusals(
        cart,
        list(
          { ...half, min_subtotal: 2500 },
          { ...half, min_subtotal: 2500, min_quantity: 9 },
          { ...half, min_quantity: 3 },
          { ...half, applies_to: ['B'] },
        ),
      ),
    ).toEqual([
      ['p1', { reason: 'min_subtotal', missingCents: 500 }],
      ['p2', { reason: 'min_subtotal', missingCents: 500 }],
      ['p3', { reason: 'min_quantity', missingQuantity: 1 }],
      ['p4', { reason: 'not_eligible_items' }],
    ]);
  });

  it('time, uses and customer go before', () => {
    const [promotion] = list({ ...half, min_subtotal: 2500 });
    const barred = { ...promotion, bar: 'exhausted' } as Promotion;
    expect(refusals(one(1000), [barred])).toEqual([['p1', { reason: 'exhausted' }]]);
  });

  it.each([
    ['best_wins', 'not_best'],
    ['none', 'not_combinable'],
    ['controlled', 'not_combinable'],
  ] as const)('%s: what is not chosen is %s', (mode, reason) => {
    const cart = { ...one(1000), codes: ['X', 'Y'] };
    const both = list({ ...half, code: 'X' }, { ...tenth, code: 'Y' });
    expect(refusals(cart, both, { mode, maxStack: 5 })).toEqual([['p2', { reason }]]);
  });
});

describe('stacks', () => {
  it('two that lower the same line take no more than it costs', () => {
    const both = list({ ...half, value: 6000, ...STACK }, { ...half, value: 6000, ...STACK });
    expect(applied(one(1000), both, controlled)).toEqual([
      ['p1', 600],
      ['p2', 400],
    ]);
  });

  it('of a group one, and no more than the shop allows', () => {
    const three = list(
      { ...half, ...STACK, group: 'G' },
      { ...tenth, ...STACK, group: 'G' },
      { ...tenth, ...STACK },
    );
    expect(applied(one(1000), three, controlled)).toEqual([
      ['p1', 500],
      ['p3', 50],
    ]);
    expect(applied(one(1000), three, { mode: 'controlled', maxStack: 1 })).toEqual([['p1', 500]]);
  });

  it('both have to name the class of the other', () => {
    const both = list(
      { ...half, stackable: 1, combines: ['order'] },
      { ...tenth, stackable: 1, combines: ['order'] },
    );
    expect(applied(one(1000), both, controlled)).toEqual([['p1', 500]]);
  });

  it('as good as one alone, the stack goes first; with fewer codes the other', () => {
    const alone = { ...half, value: 6000 };
    const stack = [
      { ...half, ...STACK },
      { ...half, ...STACK, value: 1000 },
    ];
    expect(applied(one(1000), list(alone, ...stack), controlled)).toEqual([
      ['p2', 500],
      ['p3', 100],
    ]);
    const cart = { ...one(1000), codes: ['X'] };
    expect(applied(cart, list(alone, ...stack.map((of) => ({ ...of, code: 'X' }))), controlled)).toEqual([
      ['p1', 600],
    ]);
  });

  it('of two that are equal the older one applies', () => {
    const [younger, older] = list(half, half) as [Promotion, Promotion];
    const both = [younger, { ...older, createdAt: '2025-01-01T00:00:00.000Z' }];
    expect(applied(one(1000), both, best)).toEqual([['p2', 500]]);
  });
});

describe('sets', () => {
  it.each([
    [1, 1],
    [2, 0],
    [3, 1],
  ])('of %i units %i are missing for the next free one', (qty, missing) => {
    expect(price(one(1000, qty), list({ type: 'bogo' }), best).missing.get('p1') ?? 0).toBe(missing);
  });

  it('a unit that one of them took is not there for the next', () => {
    const both = list({ type: 'bogo', ...STACK }, { type: 'bogo', x: 2, ...STACK });
    expect(applied(one(1000, 4), both, controlled)).toEqual([
      ['p1', 2000],
      ['p2', 0],
    ]);
  });
});

describe('shipping by the value of the goods', () => {
  const cart = {
    ...one(5000),
    shipping: { priceCents: ([left = 0]: readonly number[]) => (left < 5000 ? 500 : 0), rates: [] },
  };
  it('is charged by what is left of them', () => {
    const { shipping, totals } = price(cart, list(tenth), best);
    expect([shipping.priceCents, totals.totalCents]).toEqual([500, 5000]);
  });

  it('promotions are chosen by its price for all of them', () => {
    const both = list(tenth, { class: 'shipping', effect: 'free_shipping' });
    expect(applied(cart, both, best)).toEqual([['p1', 500]]);
  });
});

describe('tax', () => {
  const compound = [...ratesOf([50_000]), { name: 'on top', ppm: 80_000, isCompound: true }];
  it('one rate on top of another, added', () => {
    const { lines } = price(one(10_000, 1, { rates: compound }), [], best);
    expect(lines[0]).toMatchObject({
      netCents: 10_000,
      taxCents: 1340,
      totalCents: 11_340,
      parts: [500, 840],
    });
  });

  it('one rate on top of another, included', () => {
    const { lines } = price({ ...one(11_340, 1, { rates: compound }), includesTax: true }, [], best);
    expect(lines[0]).toMatchObject({
      netCents: 10_000,
      taxCents: 1340,
      totalCents: 11_340,
      parts: [500, 840],
    });
  });

  it('a buyer without tax pays the net price, of shipping too', () => {
    const rates = ratesOf([190_000]);
    const cart = { ...one(11_900, 1, { rates }), shipping: { priceCents: () => 595, rates }, isExempt: true };
    const { lines, shipping, totals } = price({ ...cart, includesTax: true }, [], best);
    expect([lines[0]?.totalCents, shipping.priceCents, totals.totalCents]).toEqual([10_000, 500, 10_500]);
    expect([totals.taxCents, totals.taxReliefCents]).toEqual([0, 1900]);
    expect(price(cart, [], best).totals).toMatchObject({
      totalCents: 12_495,
      taxCents: 0,
      taxReliefCents: 0,
    });
  });

  it('rounded once over all lines, shipping is the last to get what is over', () => {
    const rates = ratesOf([100_000]);
    const cart = cartOf({
      lines: [1, 2].map((n) => ({ product: `${n}`, unit: 105, qty: 1, tax: [100_000] })),
    });
    const { lines, shipping, totals } = price(
      { ...cart, roundTaxAt: 'total', shipping: { priceCents: () => 105, rates } },
      [],
      best,
    );
    expect([...lines.map(({ taxCents }) => taxCents), shipping.taxCents, totals.taxCents]).toEqual([
      11, 11, 10, 32,
    ]);
  });
});

it('gift cards pay in their order, and no more than is due', () => {
  const { giftCards, totals } = price({ ...one(1000), giftCardCents: [300, 0, 900, 50] }, [], best);
  expect([giftCards, totals.giftCardCents, totals.dueCents]).toEqual([[300, 0, 700, 0], 1000, 0]);
});
