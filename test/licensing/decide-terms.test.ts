import { describe, expect, it } from 'vitest';
import type { LICENSE_STATUSES } from '#licensing/contract/enumerations.ts';
import { decide } from '#licensing/licenses/decision/decide.ts';
import type { Facts } from '#licensing/licenses/decision/facts.ts';
import { refusal } from '#licensing/licenses/decision/refusals.ts';
import { answer, FUTURE, facts, license, NOW, PAST, policy, states } from './license-facts.ts';

describe('record-usage and validate-entitlement', () => {
  it.each([
    [{ maxUses: 10, currentUses: 9 }, 1, 'VALID'],
    [{ maxUses: 10, currentUses: 9 }, 2, 'USAGE_EXCEEDED'],
    [{ maxUses: 10, currentUses: 9 }, undefined, 'VALID'],
    [{ maxUses: 10, currentUses: 10 }, undefined, 'USAGE_EXCEEDED'],
    [{ maxUses: 0 }, 1, 'USAGE_EXCEEDED'],
    [{ maxUses: null, currentUses: 999 }, 10_000, 'VALID'],
  ])('with %j, recording %j is %s', (over, quantity, code) => {
    expect(decide('record-usage', facts({ license: license(over), request: { quantity } }), NOW).code).toBe(
      code,
    );
  });

  it('a refusal names the counter beside the error', () => {
    const over = {
      license: license({ currentUses: 9 }),
      policy: policy({ maxUses: 10 }),
      request: { quantity: 5 },
    };
    expect(refusal('record-usage', decide('record-usage', facts(over), NOW))).toMatchObject({
      code: 'USAGE_LIMIT_EXCEEDED',
      details: { current: 9, max: 10, requested: 5 },
      extra: { usage: { current: 9, max: 10 } },
    });
  });

  it.each([
    ['VALID', true],
    ['GRACE', true],
    ['EXPIRED', false],
    ['SUSPENDED', false],
    ['REVOKED', false],
  ] as const)('an entitlement of a license that is %s: valid %s, entitled all the same', (state, valid) => {
    const given = facts({
      license: { ...states[state], features: { seats: 5 } },
      policy: policy({ entitlements: { pro: true, seats: 1 } }),
      request: { entitlement: 'seats' },
    });
    expect(decide('validate-entitlement', given, NOW)).toMatchObject({
      allowed: true,
      entitlement: { valid, entitled: true, value: 5 },
    });
  });
});

describe('update', () => {
  const release = { version: '2.0.0', isCritical: true, productId: 'prd_1', requiredEntitlements: ['pro'] };
  const lapsed = {
    id: 'prd_1',
    status: 'ACTIVE',
    licensingMode: 'STANDARD',
    criticalUpdatesForExpired: true,
  } as const;
  const entitled = license({ features: { pro: true } });

  it.each([
    ['unknown key', { license: null }, 'NOT_FOUND', 401, 'INVALID_LICENSE'],
    ['malformed key', { license: null, malformedKey: true }, 'INVALID_KEY', 401, 'INVALID_LICENSE'],
    ['suspended', { license: states.SUSPENDED }, 'SUSPENDED', 401, 'INVALID_LICENSE'],
    ['in grace', { license: states.GRACE }, 'GRACE', 401, 'INVALID_LICENSE'],
    ['active', {}, 'VALID', 200, null],
    ['entitled', { license: entitled, request: { release } }, 'VALID', 200, null],
    ['not entitled', { request: { release } }, 'ENTITLEMENT_MISSING', 404, 'NOT_FOUND'],
    [
      'of another product',
      { request: { release: { ...release, productId: 'prd_2' } } },
      'WRONG_PRODUCT',
      401,
      'INVALID_LICENSE',
    ],
    [
      'too new',
      { license: license({ maxVersion: '1' }), request: { release } },
      'VERSION_NOT_ALLOWED',
      404,
      'NOT_FOUND',
    ],
    [
      'lapsed, critical',
      { license: { ...states.EXPIRED, features: { pro: true } }, product: lapsed, request: { release } },
      'VALID',
      200,
      null,
    ],
    [
      'lapsed, not critical',
      { license: states.EXPIRED, product: lapsed, request: { release: { ...release, isCritical: false } } },
      'EXPIRED',
      401,
      'INVALID_LICENSE',
    ],
    [
      'lapsed, switch off',
      { license: states.EXPIRED, request: { release } },
      'EXPIRED',
      401,
      'INVALID_LICENSE',
    ],
    [
      'revoked, switch on',
      { license: states.REVOKED, product: lapsed, request: { release } },
      'REVOKED',
      401,
      'INVALID_LICENSE',
    ],
  ] as const)('%s', (_name, over, code, status, error) => {
    expect(answer('update', facts(over as Partial<Facts>))).toEqual([code, status, error]);
  });

  it('gives one text and no details for every refusal of a key', () => {
    const refused = [null, states.SUSPENDED, states.EXPIRED].map((stored) =>
      refusal('update', decide('update', facts({ license: stored }), NOW)),
    );
    expect(new Set(refused.map((error) => error.message)).size).toBe(1);
    expect(refused.every((error) => Object.keys(error.details).length === 0)).toBe(true);
  });
});

describe('renew', () => {
  const subscription = (validUntil: string | null, status: (typeof LICENSE_STATUSES)[number] = 'ACTIVE') =>
    license({ type: 'SUBSCRIPTION', validUntil, status });
  const later = '2027-01-01T00:00:00.000Z';

  it.each([
    ['forward', subscription(FUTURE), later, { status: 'ACTIVE', changes: true, emits: true }],
    ['shorter', subscription(later), FUTURE, { status: 'ACTIVE', changes: true, emits: false }],
    ['same', subscription(FUTURE), FUTURE, { status: 'ACTIVE', changes: false, emits: false }],
    ['perpetual', subscription(null), later, { status: 'ACTIVE', changes: true, emits: false }],
    ['expired', subscription(PAST), later, { status: 'ACTIVE', changes: true, emits: true }],
    [
      'stored expired',
      subscription(PAST, 'EXPIRED'),
      later,
      { status: 'ACTIVE', changes: true, emits: true },
    ],
    [
      'suspended',
      subscription(FUTURE, 'SUSPENDED'),
      later,
      { status: 'SUSPENDED', changes: true, emits: true },
    ],
  ])('%s', (_name, stored, validUntil, renewal) => {
    const decision = decide('renew', facts({ license: stored, request: { validUntil } }), NOW);
    expect(decision).toMatchObject({ allowed: true, renewal });
  });

  it.each([
    [{ license: states.REVOKED, request: { validUntil: later } }, 'LICENSE_REVOKED'],
    [{ license: states.REVOKED, request: { validUntil: PAST } }, 'VALIDATION_ERROR'],
    [{ request: { validUntil: NOW } }, 'VALIDATION_ERROR'],
    [{ request: {} }, 'VALIDATION_ERROR'],
    [{ license: null, request: { validUntil: later } }, 'NOT_FOUND'],
  ])('%j is refused with %s', (over, code) => {
    expect(refusal('renew', decide('renew', facts(over), NOW)).code).toBe(code);
  });
});
