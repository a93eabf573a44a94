import { describe, expect, it } from 'vitest';
import { decide } from '#licensing/licenses/decision/decide.ts';
import type { Facts } from '#licensing/licenses/decision/facts.ts';
import { refusal } from '#licensing/licenses/decision/refusals.ts';
import {
  answer,
  FUTURE,
  facts,
  floating,
  floatingState,
  lease,
  license,
  NOW,
  node,
  PAST,
  policy,
  states,
} from './license-facts.ts';

describe('checkout', () => {
  it.each([
    ['not floating goes before the status', { license: states.REVOKED }, 'NOT_FLOATING', 400, 'NOT_FLOATING'],
    ['revoked', { license: floatingState('REVOKED') }, 'REVOKED', 400, 'LICENSE_REVOKED'],
    ['suspended', { license: floatingState('SUSPENDED') }, 'SUSPENDED', 400, 'LICENSE_SUSPENDED'],
    ['expired', { license: floatingState('EXPIRED') }, 'EXPIRED', 400, 'LICENSE_EXPIRED'],
    ['in grace', { license: floatingState('GRACE') }, 'GRACE', 200, null],
    ['all seats used', { license: floating, used: 3 }, 'SEATS_EXHAUSTED', 400, 'SEAT_LIMIT_REACHED'],
    [
      'extension with all seats used',
      { license: floating, used: 3, activation: lease(FUTURE) },
      'VALID',
      200,
      null,
    ],
    ['free seat', { license: floating, used: 2 }, 'VALID', 200, null],
    ['unknown key', { license: null }, 'NOT_FOUND', 404, 'NOT_FOUND'],
  ] as const)('%s', (_name, over, code, status, error) => {
    expect(answer('checkout', facts(over as Partial<Facts>))).toEqual([code, status, error]);
  });

  it.each([
    ['new, as asked', { request: { leaseDuration: 60 } }, '2026-06-15T12:01:00.000Z'],
    ['new, by setting', {}, '2026-06-15T13:00:00.000Z'],
    ['extended', { activation: lease('2026-06-15T12:30:00.000Z'), used: 1 }, '2026-06-15T13:00:00.000Z'],
    [
      'never shortened',
      { activation: lease('2026-06-15T18:00:00.000Z'), used: 1 },
      '2026-06-15T18:00:00.000Z',
    ],
    ['not revived', { activation: lease(PAST), request: { leaseDuration: 60 } }, '2026-06-15T12:01:00.000Z'],
    [
      'capped at grace',
      { license: floatingState('GRACE'), request: { leaseDuration: 86_400 } },
      '2026-06-15T12:59:00.000Z',
    ],
  ])('a lease is %s', (_name, over, end) => {
    expect(decide('checkout', facts({ license: floating, ...over }), NOW).leaseExpiresAt).toBe(end);
  });

  it('says how many seats there are, beside the error too', () => {
    const circumstances = { nextLeaseExpiresAt: FUTURE };
    const error = refusal(
      'checkout',
      decide('checkout', facts({ license: floating, used: 3, circumstances }), NOW),
    );
    expect(error).toMatchObject({
      code: 'SEAT_LIMIT_REACHED',
      status: 400,
      details: { seatsUsed: 3, seatsTotal: 3, nextLeaseExpiresAt: FUTURE },
      extra: { seatsUsed: 3, seatsTotal: 3, seatsAvailable: 0 },
    });
  });
});

describe('checkin, heartbeat, offline-token', () => {
  it.each([
    ['checkin', { license: null }, 'NOT_FOUND', 404, 'NOT_FOUND'],
    ['checkin', {}, 'NOT_FLOATING', 400, 'NOT_FLOATING'],
    ['checkin', { license: floating }, 'NOT_CHECKED_OUT', 400, 'NOT_CHECKED_OUT'],
    ['checkin', { license: floating, activation: lease(PAST) }, 'NOT_CHECKED_OUT', 400, 'NOT_CHECKED_OUT'],
    ['checkin', { license: floatingState('REVOKED'), activation: lease(FUTURE) }, 'VALID', 200, null],
    ['heartbeat', { license: states.REVOKED, activation: node }, 'REVOKED', 400, 'LICENSE_INACTIVE'],
    ['heartbeat', { license: states.GRACE, activation: node }, 'GRACE', 400, 'LICENSE_INACTIVE'],
    ['heartbeat', { license: states.EXPIRED }, 'EXPIRED', 400, 'LICENSE_INACTIVE'],
    ['heartbeat', {}, 'NOT_ACTIVATED', 400, 'NOT_ACTIVATED'],
    ['heartbeat', { activation: node }, 'VALID', 200, null],
    ['offline-token', { license: states.EXPIRED, activation: node }, 'EXPIRED', 400, 'LICENSE_EXPIRED'],
    ['offline-token', { license: states.GRACE, activation: node }, 'GRACE', 200, null],
    ['offline-token', {}, 'NOT_ACTIVATED', 400, 'NOT_ACTIVATED'],
    [
      'offline-token',
      { activation: node, policy: policy({ offlineMaxTtlSeconds: 0 }) },
      'NOT_FOUND',
      404,
      'NOT_FOUND',
    ],
    [
      'offline-token',
      { activation: node, policy: policy({ offlineMaxTtlSeconds: 3600 }) },
      'VALID',
      200,
      null,
    ],
    [
      'offline-token',
      { activation: node, license: license({ maxVersion: '1' }), request: { appVersion: '2' } },
      'VALID',
      200,
      null,
    ],
  ] as const)('%s %j: %s', (action, over, code, status, error) => {
    expect(answer(action, facts(over as Partial<Facts>))).toEqual([code, status, error]);
  });

  it('a heartbeat says when the next is due, if one is', () => {
    const beat = (over: Partial<Facts>) => decide('heartbeat', facts({ activation: node, ...over }), NOW);
    expect(beat({ policy: policy({ heartbeatInterval: 10 }) }).nextHeartbeatAt).toBe(
      '2026-06-15T12:10:00.000Z',
    );
    expect('nextHeartbeatAt' in beat({ policy: policy() })).toBe(false);
  });
});
