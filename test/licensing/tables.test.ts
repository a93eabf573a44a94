import { describe, expect, expectTypeOf, it } from 'vitest';
import { API_KEY_SCOPES, type ApiKeyScope } from '#licensing/contract/enumerations.ts';
import { fail } from '#licensing/contract/errors.ts';
import {
  defaultSubscription,
  type LicensingEventDetails,
  licensingEvent,
  licensingEvents,
  subscribes,
} from '#licensing/contract/events.ts';
import { ids } from '#licensing/contract/ids.ts';
import { limits } from '#licensing/contract/limits.ts';
import { type Access, scopeAllows } from '#licensing/contract/scopes.ts';

describe('errors', () => {
  it.each([
    ['API_KEY_REQUIRED', 401],
    ['INVALID_API_KEY', 401],
    ['API_KEY_REVOKED', 401],
    ['API_KEY_EXPIRED', 401],
    ['IP_NOT_ALLOWED', 403],
    ['INSUFFICIENT_SCOPE', 403],
    ['VALIDATION_ERROR', 400],
    ['ACTIVATION_FAILED', 400],
    ['DEACTIVATION_FAILED', 400],
    ['LICENSE_EXPIRED', 400],
    ['LICENSE_SUSPENDED', 400],
    ['LICENSE_REVOKED', 400],
    ['INVALID_KEY', 400],
    ['INVALID_LICENSE', 401],
    ['NOT_FOUND', 404],
    ['NOT_FLOATING', 400],
    ['NOT_CHECKED_OUT', 400],
    ['SEAT_LIMIT_REACHED', 400],
    ['USAGE_LIMIT_EXCEEDED', 400],
    ['NOT_ACTIVATED', 400],
    ['LICENSE_INACTIVE', 400],
    ['RATE_LIMITED', 429],
    ['SERVER_ERROR', 500],
    ['UNAUTHORIZED', 401],
    ['CSRF_FAILED', 403],
    ['CONFLICT', 409],
    ['PRECONDITION_FAILED', 412],
  ] as const)('%s is %i', (code, status) => {
    const error = fail(code);
    expect([error.code, error.status]).toEqual([code, status]);
    expect(error.message).not.toBe('');
  });

  it('there are no others', () => {
    expect(Object.keys(fail.table)).toHaveLength(28);
  });
});

describe('limits', () => {
  it.each([
    ['read', 60, 900, 'ip'],
    ['write', 15, 900, 'credential'],
    ['heartbeat', 120, 60, 'credential'],
    ['update_check', 60, 900, 'ip'],
    ['update_download', 10, 3600, 'ip'],
    ['inbound', 60, 60, 'ip'],
    ['read_extra', 0, 900, 'ip'],
    ['public_key', 0, 900, 'ip'],
    ['offline_token', 120, 60, 'credential'],
    ['failures', 100, 900, 'ip'],
  ] as const)('%s allows %i in %i seconds per %s', (bucket, max, windowSeconds, by) => {
    expect(limits[bucket]).toEqual({ bucket, max, windowSeconds, by });
  });

  it('there are no others', () => {
    expect(Object.keys(limits)).toHaveLength(10);
  });
});

describe('scopes', () => {
  const table: Record<Access, readonly ApiKeyScope[]> = {
    VALIDATE_ONLY: ['VALIDATE_ONLY', 'CREATE_LICENSE', 'FULL_ADMIN'],
    VALIDATE: ['VALIDATE_ONLY', 'CREATE_LICENSE', 'FULL_ADMIN'],
    CHECK: ['VALIDATE_ONLY', 'CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN'],
    PRODUCTS: ['CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN'],
    CREATE_LICENSE: ['CREATE_LICENSE', 'FULL_ADMIN'],
  };
  const cases = Object.entries(table).flatMap(([needed, allowed]) =>
    API_KEY_SCOPES.map((scope) => [scope, needed as Access, allowed.includes(scope)] as const),
  );

  it.each(cases)('%s may use %s: %s', (scope, needed, may) => {
    expect(scopeAllows(scope, needed)).toBe(may);
  });

  it.each(cases)('%s with read_only_may_validate may use %s', (scope, needed, may) => {
    expect(scopeAllows(scope, needed, true)).toBe(may || (scope === 'READ_ONLY' && needed === 'VALIDATE'));
  });
});

describe('events', () => {
  it('are the 23 of the specification and three additions', () => {
    const byAudience = Object.groupBy(Object.entries(licensingEvents), ([, audience]) => audience);
    expect(byAudience.all).toHaveLength(20);
    expect(byAudience.chosen?.map(([name]) => name)).toEqual([
      'LICENSE_VALIDATED',
      'VALIDATION_FAILED',
      'USAGE_RECORDED',
    ]);
    expect(byAudience.named?.map(([name]) => name)).toEqual(['LICENSE_REINSTATED', 'LICENSE_RESTORED']);
    expect(byAudience.direct?.map(([name]) => name)).toEqual(['WEBHOOK_TEST']);
  });

  it.each([
    [['*'], 'LICENSE_CREATED', true],
    [['*'], 'LICENSE_VALIDATED', true],
    [['*'], 'LICENSE_REINSTATED', false],
    [['*'], 'WEBHOOK_TEST', false],
    [['LICENSE_REINSTATED'], 'LICENSE_REINSTATED', true],
    [['LICENSE_CREATED'], 'LICENSE_REVOKED', false],
    [['WEBHOOK_TEST'], 'WEBHOOK_TEST', false],
    [[], 'LICENSE_CREATED', false],
  ] as const)('%j receives %s: %s', (subscription, event, receives) => {
    expect(subscribes(subscription, event)).toBe(receives);
  });

  it('a new webhook is spared the loud ones', () => {
    expect(defaultSubscription).toHaveLength(20);
    expect(defaultSubscription).not.toContain('LICENSE_VALIDATED');
  });

  it('demand their name and their details', () => {
    const event = licensingEvent('LICENSE_ACTIVATED', { machineId: 'machine-1', machineName: null });
    expect(event).toEqual({
      type: 'LICENSE_ACTIVATED',
      details: { machineId: 'machine-1', machineName: null },
    });
    expectTypeOf(licensingEvent<'LICENSE_ACTIVATED'>)
      .parameter(1)
      .toEqualTypeOf<LicensingEventDetails['LICENSE_ACTIVATED']>();
    // @ts-expect-error a misspelt name
    licensingEvent('LICENSE_ACTIVATE', { machineId: 'machine-1', machineName: null });
    // @ts-expect-error details of another event
    licensingEvent('LICENSE_ACTIVATED', { previous: 1, current: 0, actor: null });
    // @ts-expect-error an absent value is null, not left out
    licensingEvent('LICENSE_ACTIVATED', { machineId: 'machine-1' });
  });
});

describe('ids', () => {
  it('are three letters and differ', () => {
    const prefixes = Object.values(ids);
    expect(new Set(prefixes).size).toBe(Object.keys(ids).length);
    expect(prefixes.every((prefix) => /^[a-z]{3}$/.test(prefix))).toBe(true);
  });
});
