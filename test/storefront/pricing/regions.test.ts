// Zones of tax and shipping: which region a place is in, and which zone applies of several.
import { describe, expect, it, test } from 'vitest';
import { isPostalPattern, isPostalWithin } from '#storefront/contract/postal.ts';
import {
  closeness,
  type Place,
  type Region,
  regionIn,
  regionsOf,
  regionText,
  zoneAt,
} from '#storefront/contract/regions.ts';

const at = (country: string, state: string | null = null, postalCode: string | null = null): Place => ({
  country,
  state,
  postalCode,
});
const zone = (name: string, rank: number, ...lines: string[]) => ({
  id: name,
  createdAt: '2026-01-01T00:00:00.000Z',
  rank,
  regions: lines.map(regionIn),
});
const found = (zones: ReturnType<typeof zone>[], place: Place) =>
  zoneAt(zones, place, ({ rank }) => rank)?.id ?? null;

test.each([
  ['10115', true],
  ['101*', true],
  ['*', false],
  ['SW1A 1AA', true],
  ['10000..19999', true],
  ['19999..10000', false],
  ['100..19999', false],
  ['A1..A9', false],
  ['1*5', false],
  ['', false],
])('%s is a pattern of postal codes: %s', (pattern, expected) => {
  expect(isPostalPattern(pattern)).toBe(expected);
});

test.each([
  ['10115', '10115', 'DE', true],
  ['10115', '10116', 'DE', false],
  ['101*', '10199', 'DE', true],
  ['101*', '1019', 'DE', true],
  ['101*', '10', 'DE', false],
  ['SW1*', 'sw1a 1aa', 'GB', true],
  ['SW1A1AA', 'SW1A 1AA', 'GB', true],
  ['90210', '90210-1234', 'US', true],
  ['902*', '90210-1234', 'US', true],
  ['90000..90299', '90210-1234', 'US', true],
  ['10000..19999', '19999', 'DE', true],
  ['10000..19999', '20000', 'DE', false],
  ['10000..19999', '1000', 'DE', false],
  ['10000..19999', 'ABCDE', 'DE', false],
  ['100-0001', '1000001', 'JP', true],
])('%s stands for %s in %s: %s', (pattern, postalCode, country, expected) => {
  expect(isPostalWithin(pattern, { country, postalCode })).toBe(expected);
});

it('no pattern stands for an address without a postal code', () => {
  expect(isPostalWithin('1*', { country: 'DE', postalCode: null })).toBe(false);
});

describe('the closest description of a place wins', () => {
  const zones = [
    zone('world', 0, '*'),
    zone('usa', 0, 'US', 'CA'),
    zone('california', 9, 'US-CA'),
    zone('beverly', 9, 'US 90210'),
    zone('late', 1, 'US-NY'),
    zone('soon', 0, 'US-NY'),
  ];
  test.each([
    [at('FR'), 'world'],
    [at('US'), 'usa'],
    [at('us', 'tx'), 'usa'],
    [at('US', 'CA', '94100'), 'california'],
    [at('US', 'CA', '90210'), 'beverly'],
    [at('US', 'NY'), 'soon'],
  ])('%j is in the zone %s', (place, expected) => {
    expect(found(zones, place)).toBe(expected);
    expect(found(zones.toReversed(), place)).toBe(expected);
  });
  it('outside of all zones there is none', () => {
    expect(found(zones.slice(1), at('FR'))).toBeNull();
    expect(found([], at('US'))).toBeNull();
  });
  it('of two that are equal, the older one applies', () => {
    const older = { ...zone('older', 0, 'DE'), createdAt: '2025-01-01T00:00:00.000Z' };
    expect(found([zone('newer', 0, 'DE'), older], at('DE'))).toBe('older');
  });
});

it('a postal code counts more than a state, and both more than one', () => {
  const region = (line: string): Region => regionIn(line);
  const place = at('US', 'CA', '90210');
  const order = ['*', 'US', 'US-CA', 'US 902*', 'US-CA 902*'].map((line) => closeness(region(line), place));
  expect(order).toEqual([0, 1, 3, 5, 7]);
  expect(closeness(region('US-NY 902*'), place)).toBeNull();
  expect(closeness(region('DE'), place)).toBeNull();
});

test.each(['*', 'DE', 'US-CA', 'US-CA 902*', 'GB SW1A 1AA', 'DE 10000..19999'])(
  '%s is written as it is read',
  (line) => {
    expect(regionText(regionIn(line))).toBe(line);
    expect(regionsOf([regionIn(line.toLowerCase())]).map(regionText)).toEqual([line]);
  },
);

test.each([
  ['XX', 'regions.0.country'],
  ['*-CA', 'regions.0.country'],
  ['* 101*', 'regions.0.country'],
  ['US-QQ', 'regions.0.state'],
  ['DE-a!', 'regions.0.state'],
  ['DE 1*0', 'regions.0.postal_pattern'],
])('%s is refused, with its field', (line, field) => {
  expect(() => regionsOf([regionIn(line)])).toThrow(field);
});

it('a region that is there twice is refused', () => {
  expect(() => regionsOf(['DE', 'US-CA', 'us-ca'].map(regionIn))).toThrow('regions.2: US-CA is listed twice');
});
