// What one unit costs a buyer: examples of the rule, and what holds for all prices.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BuyersList, unitPrice, worthwhileTiers } from '../../src/storefront/contract/unit-price.ts';
import { always } from '../support/property.ts';

const NOW = '2026-11-26T12:00:00.000Z';
const list = (fields: Partial<BuyersList> = {}): BuyersList => ({
  kind: 'fixed',
  adjustBps: 0,
  currency: 'USD',
  active: true,
  startsAt: null,
  endsAt: null,
  tiers: [],
  ...fields,
});
const tier = (minQuantity: number, unitCents: number) => ({ minQuantity, unitCents });
const mug = (tiers = [tier(10, 1500), tier(50, 1200)]) => ({ priceCents: 1900, currency: 'USD', tiers });

describe('the unit price is the lowest of what applies:', () => {
  const percent = (adjustBps: number) => list({ kind: 'percent', adjustBps });
  it.each([
    ['its price alone', 1, [], 1900],
    ['just below a break', 9, [], 1900],
    ['at a break', 10, [], 1500],
    ['beyond the last break', 999, [], 1200],
    ['a list that is cheaper', 1, [list({ tiers: [tier(1, 1700)] })], 1700],
    ['a list that is dearer', 1, [list({ tiers: [tier(1, 2500)] })], 1900],
    ['a list whose quantity is not reached', 4, [list({ tiers: [tier(5, 100)] })], 1900],
    ['the cheapest of two lists', 1, [list({ tiers: [tier(1, 1800)] }), percent(-1000)], 1710],
    ['a break that beats the list', 50, [percent(-1000)], 1200],
    ['a percentage that rounds half up', 1, [percent(-2500)], 1425],
    ['a percentage of half a cent', 1, [percent(-5)], 1899],
    ['everything for nothing', 1, [percent(-10_000)], 0],
    ['a surcharge', 1, [percent(5000)], 1900],
    ['a list that is switched off', 1, [list({ active: false, tiers: [tier(1, 1)] })], 1900],
    ['a list of another currency', 1, [list({ currency: 'EUR', tiers: [tier(1, 1)] })], 1900],
    ['a list that begins now', 1, [list({ startsAt: NOW, tiers: [tier(1, 1)] })], 1],
    [
      'a list that begins later',
      1,
      [list({ startsAt: '2026-11-26T12:00:00.001Z', tiers: [tier(1, 1)] })],
      1900,
    ],
    ['a list that ends now', 1, [list({ endsAt: NOW, tiers: [tier(1, 1)] })], 1900],
    ['a list that ends later', 1, [list({ endsAt: '2026-11-26T12:00:00.001Z', tiers: [tier(1, 1)] })], 1],
    ['a fixed list whose percentage says nothing', 1, [list({ adjustBps: -5000 })], 1900],
  ] as const)('%s', (_name, quantity, lists, cents) => {
    expect(unitPrice(mug(), quantity, lists, NOW)).toBe(cents);
  });

  it('rounds exactly where a float would not', () => {
    const dear = { priceCents: 100_000_000_000, currency: 'USD', tiers: [] };
    expect(unitPrice(dear, 1, [percent(-1)], NOW)).toBe(99_990_000_000);
    expect(unitPrice({ ...dear, priceCents: 99_999_999_995 }, 1, [percent(-5000)], NOW)).toBe(49_999_999_998);
  });
});

const anyTier = fc.record({
  minQuantity: fc.integer({ min: 1, max: 100 }),
  unitCents: fc.integer({ min: 0, max: 100_000_000_000 }),
});
const anyTiers = fc.uniqueArray(anyTier, { selector: ({ minQuantity }) => minQuantity, maxLength: 8 });
const anyVariant = fc.record({
  priceCents: fc.integer({ min: 0, max: 100_000_000_000 }),
  currency: fc.constant('USD'),
  tiers: anyTiers,
});
const anyList = fc.record({
  kind: fc.constantFrom('fixed' as const, 'percent' as const),
  adjustBps: fc.integer({ min: -10_000, max: 100_000 }),
  currency: fc.constantFrom('USD', 'EUR'),
  active: fc.boolean(),
  startsAt: fc.constantFrom(null, '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'),
  endsAt: fc.constantFrom(null, '2026-02-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'),
  tiers: anyTiers,
});
const anyLists = fc.array(anyList, { maxLength: 4 });
const anyQuantity = fc.integer({ min: 1, max: 1000 });

describe('for all prices', () => {
  it('it is a whole amount from nothing up to the price', () =>
    always(
      fc.property(anyVariant, anyLists, anyQuantity, (variant, lists, quantity) => {
        const cents = unitPrice(variant, quantity, lists, NOW);
        expect(Number.isSafeInteger(cents)).toBe(true);
        expect(cents).toBeGreaterThanOrEqual(0);
        expect(cents).toBeLessThanOrEqual(variant.priceCents);
      }),
    ));

  it('more units never cost more each, and another list never makes them dearer', () =>
    always(
      fc.property(anyVariant, anyLists, anyQuantity, anyList, (variant, lists, quantity, more) => {
        const cents = unitPrice(variant, quantity, lists, NOW);
        expect(unitPrice(variant, quantity + 1, lists, NOW)).toBeLessThanOrEqual(cents);
        expect(unitPrice(variant, quantity, [...lists, more], NOW)).toBeLessThanOrEqual(cents);
      }),
    ));

  it('neither the order of lists nor that of breaks matters', () =>
    always(
      fc.property(anyVariant, anyLists, anyQuantity, (variant, lists, quantity) => {
        const turned = { ...variant, tiers: variant.tiers.toReversed() };
        expect(unitPrice(turned, quantity, lists.toReversed(), NOW)).toBe(
          unitPrice(variant, quantity, lists, NOW),
        );
      }),
    ));

  it('the breaks that are shown are those that are charged', () =>
    always(
      fc.property(anyVariant, anyQuantity, (variant, quantity) => {
        const shown = worthwhileTiers(variant).filter(({ minQuantity }) => minQuantity <= quantity);
        const first = unitPrice(variant, 1, [], NOW);
        expect(shown.at(-1)?.unitCents ?? first).toBe(unitPrice(variant, quantity, [], NOW));
      }),
    ));
});
