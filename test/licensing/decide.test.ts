import { describe, expect, it } from 'vitest';
import { LICENSING_MODES } from '#licensing/contract/enumerations.ts';
import { decide } from '#licensing/licenses/decision/decide.ts';
import type { Facts } from '#licensing/licenses/decision/facts.ts';
import { answer, FUTURE, facts, lease, license, NOW, node, PAST, policy, states } from './license-facts.ts';

describe('validate', () => {
  const active = { activation: node, used: 1 };
  const old = { maxVersion: '2' };

  it.each([
    ['unknown key', { license: null }, 'NOT_FOUND'],
    ['malformed key', { license: null, malformedKey: true }, 'INVALID_KEY'],
    ['revoked', { license: states.REVOKED, ...active }, 'REVOKED'],
    ['suspended', { license: states.SUSPENDED, ...active }, 'SUSPENDED'],
    ['expired', { license: states.EXPIRED, ...active }, 'EXPIRED'],
    [
      'revoked and past its date',
      { license: { ...states.EXPIRED, status: 'REVOKED' }, ...active },
      'REVOKED',
    ],
    [
      'suspended and past its date',
      { license: { ...states.EXPIRED, status: 'SUSPENDED' }, ...active },
      'SUSPENDED',
    ],
    [
      'suspended inside what would be grace',
      { license: { ...states.GRACE, status: 'SUSPENDED' }, ...active },
      'SUSPENDED',
    ],
    ['expired, not activated', { license: states.EXPIRED }, 'EXPIRED'],
    ['not activated', {}, 'NOT_ACTIVATED'],
    [
      'not activated, version too new',
      { license: license(old), request: { appVersion: '3' } },
      'NOT_ACTIVATED',
    ],
    [
      'version too new',
      { license: license(old), request: { appVersion: '3' }, ...active },
      'VERSION_NOT_ALLOWED',
    ],
    [
      'version too new by policy',
      { policy: policy(old), request: { appVersion: '3' }, ...active },
      'VERSION_NOT_ALLOWED',
    ],
    [
      'version too new in grace',
      { license: { ...states.GRACE, ...old }, request: { appVersion: '3' }, ...active },
      'VERSION_NOT_ALLOWED',
    ],
    ['in grace', { license: states.GRACE, ...active }, 'GRACE'],
    ['in grace, not activated', { license: states.GRACE }, 'NOT_ACTIVATED'],
    ['valid', active, 'VALID'],
    ['valid, version allowed', { license: license(old), request: { appVersion: '2.9' }, ...active }, 'VALID'],
    ['valid, version not sent', { license: license(old), ...active }, 'VALID'],
    ['more in use than allowed', { activation: node, used: 9 }, 'VALID'],
    ['live lease', { license: license({ type: 'FLOATING' }), activation: lease(FUTURE), used: 1 }, 'VALID'],
    [
      'lease that ends now',
      { license: license({ type: 'FLOATING' }), activation: lease(NOW) },
      'NOT_ACTIVATED',
    ],
    [
      'lease that ran out',
      { license: license({ type: 'FLOATING' }), activation: lease(PAST) },
      'NOT_ACTIVATED',
    ],
  ] as const)('%s', (_name, over, code) => {
    const given = facts(over as Partial<Facts>);
    expect(answer('validate', given)).toEqual([code, 200, null]);
    expect(decide('validate', given, NOW).allowed).toBe(code === 'VALID' || code === 'GRACE');
  });

  it('ends on the millisecond: validUntil and the end of grace are outside', () => {
    const at = (now: string) =>
      decide(
        'validate',
        facts({ license: license({ validUntil: FUTURE, gracePeriodSeconds: 60 }), ...active }),
        now,
      ).code;
    expect(at('2026-07-15T11:59:59.999Z')).toBe('VALID');
    expect(at('2026-07-15T12:00:00.000Z')).toBe('GRACE');
    expect(at('2026-07-15T12:00:59.999Z')).toBe('GRACE');
    expect(at('2026-07-15T12:01:00.000Z')).toBe('EXPIRED');
  });

  it('says EXPIRED in grace, and until when', () => {
    const decision = decide('validate', facts({ license: states.GRACE, ...active }), NOW);
    expect(decision).toMatchObject({
      status: 'EXPIRED',
      grace: { until: '2026-06-15T12:59:00.000Z' },
      details: {},
    });
    expect(decide('validate', facts({ license: states.EXPIRED, ...active }), NOW).grace).toBeNull();
  });

  it('knows no status of an unknown key', () => {
    expect(decide('validate', facts({ license: null }), NOW).status).toBeNull();
  });

  it('names versionAllowed only when the question arises, also when something else refuses', () => {
    const asked = { license: { ...states.REVOKED, maxVersion: '2' }, request: { appVersion: '3' } };
    expect(decide('validate', facts(asked), NOW).versionAllowed).toBe(false);
    expect('versionAllowed' in decide('validate', facts(active), NOW)).toBe(false);
    expect('versionAllowed' in decide('validate', facts({ ...asked, request: {} }), NOW)).toBe(false);
  });

  it.each(LICENSING_MODES)('enforces alike in %s', (licensingMode) => {
    const product = {
      id: 'prd_1',
      status: 'DISCONTINUED',
      licensingMode,
      criticalUpdatesForExpired: false,
    } as const;
    expect(decide('validate', facts({ product }), NOW).code).toBe('NOT_ACTIVATED');
    expect(decide('validate', facts({ product, ...active }), NOW).code).toBe('VALID');
  });
});
