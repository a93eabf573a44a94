import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LICENSE_STATUSES, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { effectiveMaxUses, effectiveMaxVersion } from '#licensing/licenses/decision/effective.ts';
import type { Features } from '#licensing/licenses/decision/facts.ts';
import { entitlementOf, mergeFeatures } from '#licensing/licenses/decision/features.ts';
import { versionAllowed } from '#licensing/licenses/decision/max-version.ts';
import { seatsOf } from '#licensing/licenses/decision/seats.ts';
import { graceEnd, later, statusAt, usableUntil } from '#licensing/licenses/decision/status.ts';
import { crossedMarks, percentUsed, usageOf } from '#licensing/licenses/decision/usage.ts';
import { always } from '../support/property.ts';

const END = '2026-06-01T00:00:00.000Z';
const dates = fc
  .date({ min: new Date(0), max: new Date(253_402_300_799_999), noInvalidDate: true })
  .map((date) => date.toISOString());

describe('status', () => {
  it.each([
    ['ACTIVE', null, END, 'ACTIVE'],
    ['ACTIVE', END, '2026-05-31T23:59:59.999Z', 'ACTIVE'],
    ['ACTIVE', END, END, 'EXPIRED'],
    ['ACTIVE', END, '2026-06-01T00:00:00.001Z', 'EXPIRED'],
    ['EXPIRED', END, '2026-05-01T00:00:00.000Z', 'EXPIRED'],
    ['SUSPENDED', END, '2027-01-01T00:00:00.000Z', 'SUSPENDED'],
    ['REVOKED', END, '2027-01-01T00:00:00.000Z', 'REVOKED'],
  ] as const)('%s until %s is at %s %s', (status, validUntil, now, computed) => {
    expect(statusAt({ status, validUntil }, now)).toBe(computed);
  });

  it('never comes back by the passing of time', () => {
    always(
      fc.property(
        fc.constantFrom(...LICENSE_STATUSES),
        fc.option(dates),
        dates,
        dates,
        (status, until, a, b) => {
          const [first, second] = [a, b].sort() as [string, string];
          const before = statusAt({ status, validUntil: until }, first);
          const after = statusAt({ status, validUntil: until }, second);
          return before === after || (before === 'ACTIVE' && after === 'EXPIRED');
        },
      ),
    );
  });
});

describe('grace', () => {
  const license = {
    status: 'ACTIVE',
    type: 'SUBSCRIPTION',
    validUntil: END,
    gracePeriodSeconds: null,
  } as const;
  const policy = { gracePeriodSeconds: 3600 };

  it.each([
    ['PERPETUAL', '2026-06-01T01:00:00.000Z'],
    ['SUBSCRIPTION', '2026-06-01T01:00:00.000Z'],
    ['FLOATING', '2026-06-01T01:00:00.000Z'],
    ['TRIAL', null],
    ['BETA', null],
  ] as const)('of %s ends at %s', (type, end) => {
    expect(graceEnd({ ...license, type }, policy)).toBe(end);
  });

  it.each([
    [null, null, null],
    [null, { gracePeriodSeconds: 0 }, null],
    [0, policy, null],
    [60, policy, '2026-06-01T00:01:00.000Z'],
    [60, null, '2026-06-01T00:01:00.000Z'],
    [31_536_000, null, '2027-06-01T00:00:00.000Z'],
  ])('%j on the license and %j on the policy end at %s', (gracePeriodSeconds, of, end) => {
    expect(graceEnd({ ...license, gracePeriodSeconds }, of)).toBe(end);
  });

  it('does not exist without a date', () => {
    expect(graceEnd({ ...license, validUntil: null, gracePeriodSeconds: 60 }, policy)).toBeNull();
    expect(usableUntil({ ...license, validUntil: null }, policy)).toBeNull();
    expect(usableUntil(license, null)).toBe(END);
    expect(usableUntil(license, policy)).toBe('2026-06-01T01:00:00.000Z');
  });

  it('stays within the years that sort as text', () => {
    const last = '9999-12-31T23:59:59.999Z';
    expect(later('9999-12-31T00:00:00.000Z', 31_536_000)).toBe(last);
    always(
      fc.property(dates, fc.integer({ min: 0, max: 31_536_000 }), (date, seconds) => {
        const end = later(date, seconds);
        return end >= date && end.length === 24;
      }),
    );
  });

  it('is never shorter for a longer period, and begins at validUntil', () => {
    const seconds = fc.integer({ min: 0, max: 31_536_000 });
    always(
      fc.property(fc.constantFrom(...LICENSE_TYPES), dates, seconds, seconds, (type, validUntil, a, b) => {
        const end = (gracePeriodSeconds: number) =>
          usableUntil({ ...license, type, validUntil, gracePeriodSeconds }, null);
        const shorter = end(Math.min(a, b)) as string;
        const longer = end(Math.max(a, b)) as string;
        return validUntil <= shorter && shorter <= longer;
      }),
    );
  });
});

describe('features', () => {
  it.each([
    [null, null, null],
    [{}, {}, null],
    [{}, null, null],
    [{ a: 1 }, null, { a: 1 }],
    [null, { a: 1 }, { a: 1 }],
    [{ a: false }, { a: true, b: 2 }, { a: false, b: 2 }],
    [{ a: null }, { a: 1 }, { a: null }],
    [{ a: { x: 1 } }, { a: { y: 2 } }, { a: { x: 1 } }],
  ])('license %j over policy %j gives %j', (own, policy, merged) => {
    expect(mergeFeatures(own, policy)).toEqual(merged);
  });

  it('keep __proto__ as a key', () => {
    const merged = mergeFeatures(JSON.parse('{"__proto__":{"pro":true}}'), { a: 1 });
    expect(Object.keys(merged ?? {})).toEqual(['a', '__proto__']);
    expect(entitlementOf(merged, 'pro')).toEqual({ entitled: false, value: null });
    expect(entitlementOf(merged, '__proto__')).toEqual({ entitled: true, value: { pro: true } });
  });

  it.each([
    ['pro', true, true],
    ['off', false, false],
    ['zero', true, 0],
    ['empty', true, ''],
    ['none', true, null],
    ['limit', true, 5],
    ['Pro', false, null],
    ['a.b', false, null],
    ['toString', false, null],
    ['constructor', false, null],
    ['missing', false, null],
  ])('%s: entitled %s with %j', (name, entitled, value) => {
    const features: Features = {
      pro: true,
      off: false,
      zero: 0,
      empty: '',
      none: null,
      limit: 5,
      a: { b: 1 },
    };
    expect(entitlementOf(features, name)).toEqual({ entitled, value });
    expect(entitlementOf(null, name)).toEqual({ entitled: false, value: null });
  });
});

describe('maxVersion', () => {
  it.each([
    [null, '1.0.0', undefined],
    ['2', undefined, undefined],
    ['2', '2.99.99', true],
    ['2', '1.0.0', true],
    ['2', '3.0.0', false],
    ['2', '3.0.0-beta.1', false],
    ['2.4', '2.4.99', true],
    ['2.4', '2.5.0', false],
    ['2.4', '1.99.0', true],
    ['2.4.1', '2.4.1', true],
    ['2.4.1', '2.4.2', false],
    ['2.4.1', '2.4.1-rc.1', true],
    ['2.4.1', '2.4.2-rc.1', false],
    ['2.4.1', '2.4.1+build.7', true],
    ['2', 'v2.4', true],
    ['2.4', 'v2.4', true],
    ['2.3', 'v2.4', false],
    ['1.2.3', '1.2.3.4', true],
    ['1.2.3', '1.2.4.0', false],
    ['2', '2', true],
    ['0', '0.9', true],
    ['0.9', '0.10', false],
    ['2', '', false],
    ['2', 'latest', false],
    ['10', '9.9.9', true],
    ['9', '10.0.0', false],
  ])('%s and application %s: %s', (maxVersion, appVersion, allowed) => {
    expect(versionAllowed(maxVersion, appVersion)).toBe(allowed);
  });

  it('a later version is never allowed when an earlier one is not', () => {
    const part = fc.nat({ max: 4 });
    const version = fc.tuple(part, part, part);
    const limit = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
    always(
      fc.property(limit, version, version, (max, a, b) => {
        const later = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
        const [low, high] = later > 0 ? [b, a] : [a, b];
        return versionAllowed(max, low.join('.')) === true || versionAllowed(max, high.join('.')) === false;
      }),
    );
  });

  it('the license goes before the policy', () => {
    expect(effectiveMaxVersion({ maxVersion: '1' }, { maxVersion: '2' })).toBe('1');
    expect(effectiveMaxVersion({ maxVersion: null }, { maxVersion: '2' })).toBe('2');
    expect(effectiveMaxVersion({ maxVersion: null }, null)).toBeNull();
    expect(effectiveMaxUses({ maxUses: 0 }, { maxUses: 5 })).toBe(0);
    expect(effectiveMaxUses({ maxUses: null }, { maxUses: 5 })).toBe(5);
    expect(effectiveMaxUses({ maxUses: null }, null)).toBeNull();
  });
});

describe('seats and usage', () => {
  it('a license over its limit has no seat, not a negative number', () => {
    expect(seatsOf(1, 3)).toEqual({ seatsUsed: 1, seatsTotal: 3, seatsAvailable: 2 });
    expect(seatsOf(5, 3)).toEqual({ seatsUsed: 5, seatsTotal: 3, seatsAvailable: 0 });
  });

  it.each([
    [0, 10, 0],
    [1, 3, 33.33],
    [2, 3, 66.67],
    [3, 3, 100],
    [4, 3, 133.33],
    [0, 0, 100],
  ])('%i of %i is %d percent', (current, max, percent) => {
    expect(percentUsed(current, max)).toBe(percent);
    expect(usageOf(current, max)).toEqual({
      current,
      max,
      remaining: Math.max(0, max - current),
      percentUsed: percent,
    });
  });

  it('without a limit there is nothing left to tell', () => {
    expect(usageOf(7, null)).toEqual({ current: 7, max: null });
  });

  it.each([
    [0, 79, 100, []],
    [79, 80, 100, ['USAGE_WARNING']],
    [80, 81, 100, []],
    [99, 100, 100, ['USAGE_EXHAUSTED']],
    [0, 100, 100, ['USAGE_WARNING', 'USAGE_EXHAUSTED']],
    [0, 1, 1, ['USAGE_WARNING', 'USAGE_EXHAUSTED']],
    [100, 100, 100, []],
    [0, 100, null, []],
  ])('from %i to %i of %s crosses %j', (before, after, max, marks) => {
    expect(crossedMarks(before, after, max)).toEqual(marks);
  });

  it('each mark is crossed once on the way up, however large the steps', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 40 });
    always(
      fc.property(steps, fc.integer({ min: 1, max: 100 }), (sizes, max) => {
        let at = 0;
        const marks = sizes.flatMap((size) => crossedMarks(at, (at += size), max));
        const warned = at * 100 >= 80 * max ? 1 : 0;
        expect(marks.filter((mark) => mark === 'USAGE_WARNING')).toHaveLength(warned);
        expect(marks.filter((mark) => mark === 'USAGE_EXHAUSTED')).toHaveLength(at >= max ? 1 : 0);
      }),
    );
  });
});
