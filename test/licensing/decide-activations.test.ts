import { describe, expect, it } from 'vitest';
import { decide } from '#licensing/licenses/decision/decide.ts';
import type { Facts } from '#licensing/licenses/decision/facts.ts';
import { answer, FUTURE, facts, lease, license, NOW, node, PAST, policy, states } from './license-facts.ts';

describe('activate', () => {
  const trial = license({ type: 'TRIAL', validUntil: FUTURE });
  const seen = { deactivationsInWindow: 0, deactivationThatMustLapse: null, trialSeenElsewhere: true };

  it.each([
    ['unknown key', { license: null }, 'NOT_FOUND', 404, 'NOT_FOUND'],
    ['malformed key', { license: null, malformedKey: true }, 'INVALID_KEY', 400, 'INVALID_KEY'],
    ['revoked', { license: states.REVOKED }, 'REVOKED', 400, 'ACTIVATION_FAILED'],
    ['suspended', { license: states.SUSPENDED }, 'SUSPENDED', 400, 'ACTIVATION_FAILED'],
    ['expired', { license: states.EXPIRED }, 'EXPIRED', 400, 'ACTIVATION_FAILED'],
    ['in grace', { license: states.GRACE }, 'GRACE', 400, 'ACTIVATION_FAILED'],
    [
      'expired, active machine',
      { license: states.EXPIRED, activation: node, used: 1 },
      'EXPIRED',
      400,
      'ACTIVATION_FAILED',
    ],
    [
      'suspended, active machine',
      { license: states.SUSPENDED, activation: node, used: 1 },
      'SUSPENDED',
      400,
      'ACTIVATION_FAILED',
    ],
    ['all slots used', { used: 3 }, 'SEATS_EXHAUSTED', 400, 'ACTIVATION_FAILED'],
    ['more used than allowed', { used: 5 }, 'SEATS_EXHAUSTED', 400, 'ACTIVATION_FAILED'],
    ['last slot', { used: 2 }, 'VALID', 200, null],
    ['repeat with all slots used', { used: 3, activation: node }, 'VALID', 200, null],
    ['repeat above the limit', { used: 5, activation: node }, 'VALID', 200, null],
    [
      'a lease that ran out is no repeat',
      { used: 3, activation: lease(PAST) },
      'SEATS_EXHAUSTED',
      400,
      'ACTIVATION_FAILED',
    ],
    [
      'version too new',
      { license: license({ maxVersion: '2' }), request: { appVersion: '3' } },
      'VALID',
      200,
      null,
    ],
    [
      'trial reuse blocked',
      { license: trial, policy: policy({ trialReuse: 'BLOCK' }), history: seen },
      'TRIAL_REUSE',
      400,
      'ACTIVATION_FAILED',
    ],
    [
      'trial reuse allowed',
      { license: trial, policy: policy({ trialReuse: 'ALLOW' }), history: seen },
      'VALID',
      200,
      null,
    ],
    ['trial reuse flagged', { license: trial, history: seen }, 'VALID', 200, null],
    [
      'first trial',
      {
        license: trial,
        policy: policy({ trialReuse: 'BLOCK' }),
        history: { ...seen, trialSeenElsewhere: false },
      },
      'VALID',
      200,
      null,
    ],
    [
      'repeat of a reused trial',
      { license: trial, activation: node, policy: policy({ trialReuse: 'BLOCK' }), history: seen },
      'VALID',
      200,
      null,
    ],
    ['no trial', { policy: policy({ trialReuse: 'BLOCK' }), history: seen }, 'VALID', 200, null],
  ] as const)('%s', (_name, over, code, status, error) => {
    expect(answer('activate', facts(over as Partial<Facts>))).toEqual([code, status, error]);
  });

  it('counts in its message', () => {
    expect(decide('activate', facts({ used: 3 }), NOW).message).toBe('Maximum activations reached (3 of 3)');
    expect(decide('activate', facts({ used: 5 }), NOW).message).toBe('Maximum activations reached (5 of 3)');
  });

  it('tells a repeat from a new one, and a version that is too new', () => {
    const asked = { license: license({ maxVersion: '2' }), request: { appVersion: '3' } };
    expect(decide('activate', facts({ activation: node, used: 1 }), NOW).repeat).toBe(true);
    expect(decide('activate', facts(asked), NOW)).toMatchObject({ repeat: false, versionAllowed: false });
  });

  it('flags a reused trial by default, once', () => {
    const flagged = (over: Partial<Facts>) =>
      decide('activate', facts({ license: trial, history: seen, ...over }), NOW).flagsTrialReuse;
    expect(flagged({})).toBe(true);
    expect(flagged({ policy: policy() })).toBe(true);
    expect(flagged({ policy: policy({ trialReuse: 'ALLOW' }) })).toBeUndefined();
    expect(flagged({ activation: node })).toBeUndefined();
    expect(flagged({ history: { ...seen, trialSeenElsewhere: false } })).toBeUndefined();
    expect(flagged({ license: license() })).toBeUndefined();
  });

  const floating = license({ type: 'FLOATING', validUntil: '2026-06-16T00:00:00.000Z' });

  it.each([
    ['the setting', {}, '2026-06-15T13:00:00.000Z'],
    ['the policy', { policy: policy({ defaultLeaseDuration: 60 }) }, '2026-06-15T12:01:00.000Z'],
    ['never the request', { request: { leaseDuration: 120 } }, '2026-06-15T13:00:00.000Z'],
    [
      'the end of the license',
      { policy: policy({ defaultLeaseDuration: 2_592_000 }) },
      '2026-06-16T00:00:00.000Z',
    ],
    [
      'the end of grace',
      { policy: policy({ defaultLeaseDuration: 2_592_000, gracePeriodSeconds: 60 }) },
      '2026-06-16T00:01:00.000Z',
    ],
    [
      'the lease that is held',
      { activation: lease('2026-06-15T12:00:01.000Z'), used: 1 },
      '2026-06-15T12:00:01.000Z',
    ],
  ])('on FLOATING takes a lease whose end comes from %s', (_name, over, end) => {
    expect(decide('activate', facts({ license: floating, ...over }), NOW).leaseExpiresAt).toBe(end);
  });

  it('on any other type takes none', () => {
    expect('leaseExpiresAt' in decide('activate', facts(), NOW)).toBe(false);
  });
});

describe('deactivate', () => {
  const churn = policy({ maxDeactivations: 2, deactivationWindowDays: 30 });
  const history = (deactivationsInWindow: number) => ({
    deactivationsInWindow,
    deactivationThatMustLapse: '2026-06-01T00:00:00.000Z',
    trialSeenElsewhere: false,
  });
  const active = { activation: node, used: 1 };

  it.each([
    ['unknown key', { license: null }, 'NOT_FOUND', 404, 'NOT_FOUND'],
    ['malformed key', { license: null, malformedKey: true }, 'INVALID_KEY', 400, 'INVALID_KEY'],
    ['no activation', {}, 'NOT_ACTIVATED', 400, 'DEACTIVATION_FAILED'],
    ['a lease that ran out', { activation: lease(PAST) }, 'NOT_ACTIVATED', 400, 'DEACTIVATION_FAILED'],
    ['activation', active, 'VALID', 200, null],
    ['live lease', { activation: lease(FUTURE), used: 1 }, 'VALID', 200, null],
    ['revoked', { ...active, license: states.REVOKED }, 'VALID', 200, null],
    ['suspended', { ...active, license: states.SUSPENDED }, 'VALID', 200, null],
    ['expired', { ...active, license: states.EXPIRED }, 'VALID', 200, null],
    ['below the churn limit', { ...active, policy: churn, history: history(1) }, 'VALID', 200, null],
    [
      'at the churn limit',
      { ...active, policy: churn, history: history(2) },
      'CHURN_LIMIT',
      400,
      'DEACTIVATION_FAILED',
    ],
    ['no limit', { ...active, policy: policy(), history: history(99) }, 'VALID', 200, null],
    ['exempt', { ...active, policy: churn, history: null }, 'VALID', 200, null],
    [
      'churn without activation',
      { policy: churn, history: history(2) },
      'NOT_ACTIVATED',
      400,
      'DEACTIVATION_FAILED',
    ],
  ] as const)('%s', (_name, over, code, status, error) => {
    expect(answer('deactivate', facts(over as Partial<Facts>))).toEqual([code, status, error]);
  });

  it('says why, and from when it is possible again', () => {
    expect(decide('deactivate', facts(), NOW).details).toEqual({
      reason: 'NO_ACTIVATION',
      allowedFrom: null,
    });
    expect(
      decide('deactivate', facts({ ...active, policy: churn, history: history(2) }), NOW).details,
    ).toEqual({
      reason: 'CHURN_LIMIT',
      allowedFrom: '2026-07-01T00:00:00.000Z',
    });
  });
});
