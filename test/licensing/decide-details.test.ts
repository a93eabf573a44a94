import { describe, expect, it } from 'vitest';
import { decide } from '#licensing/licenses/decision/decide.ts';
import type { Facts } from '#licensing/licenses/decision/facts.ts';
import { refusal } from '#licensing/licenses/decision/refusals.ts';
import { facts, floating, floatingState, lease, NOW, PAST, states } from './license-facts.ts';

describe('details', () => {
  const oldestActivation = { machineName: 'old', activatedAt: PAST, lastSeenAt: PAST };

  it.each([
    [
      'activate',
      { used: 3, circumstances: { oldestActivation } },
      {
        reason: 'SEATS_EXHAUSTED',
        status: 'ACTIVE',
        expiredAt: null,
        graceExpiresAt: null,
        current: 3,
        max: 3,
        oldestActivation,
      },
    ],
    [
      'activate',
      { license: states.GRACE },
      {
        reason: 'EXPIRED',
        status: 'EXPIRED',
        expiredAt: PAST,
        graceExpiresAt: '2026-06-15T12:59:00.000Z',
        current: 0,
        max: 3,
        oldestActivation: null,
      },
    ],
    [
      'activate',
      { license: states.REVOKED },
      {
        reason: 'REVOKED',
        status: 'REVOKED',
        expiredAt: null,
        graceExpiresAt: null,
        current: 0,
        max: 3,
        oldestActivation: null,
      },
    ],
    ['activate', { license: null }, {}],
    [
      'heartbeat',
      { license: states.SUSPENDED },
      { status: 'SUSPENDED', since: PAST, expiredAt: null, grace: false },
    ],
    [
      'heartbeat',
      { license: states.GRACE },
      { status: 'EXPIRED', since: PAST, expiredAt: PAST, grace: true },
    ],
    ['heartbeat', { used: 2 }, { status: 'ACTIVE', activationsUsed: 2, maxActivations: 3 }],
    ['checkout', {}, { type: 'PERPETUAL', use: 'activate' }],
    ['checkout', { license: floatingState('EXPIRED') }, { expiredAt: PAST, graceExpiresAt: null }],
    ['checkin', { license: floating, activation: lease(PAST) }, { lastLeaseExpiredAt: PAST }],
    ['checkin', { license: floating }, { lastLeaseExpiredAt: null }],
  ] as const)('of %s with %j', (action, over, details) => {
    expect(decide(action, facts(over as Partial<Facts>), NOW).details).toEqual(details);
  });

  it('belong to a refusal only', () => {
    const allowed = decide('activate', facts(), NOW);
    expect([allowed.details, allowed.extra]).toEqual([{}, {}]);
    expect(() => refusal('activate', allowed)).toThrow(RangeError);
  });
});

describe('trace', () => {
  it('is made only when asked', () => {
    expect(decide('validate', facts(), NOW).trace).toEqual([]);
    expect(decide('validate', facts({ license: null }), NOW).trace).toEqual([]);
  });

  it('lists what was asked, what failed, and what was not asked any more', () => {
    const { trace } = decide('validate', facts({ license: states.SUSPENDED }), NOW, { trace: true });
    expect(trace.map(({ rule, result }) => `${rule} ${result}`)).toEqual([
      'key is known pass',
      'not revoked pass',
      'not suspended fail',
      'not expired, or in grace skip',
      'machine is activated skip',
      'version is covered skip',
    ]);
    expect(trace.every(({ text }) => text.length > 0)).toBe(true);
    expect(decide('renew', facts(), NOW, { trace: true }).trace).toMatchObject([
      { rule: 'new date is in the future', result: 'fail' },
    ]);
  });
});
