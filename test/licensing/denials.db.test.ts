// Explainable denials (licensing 6.6): the details of every code, as the public API sends them; and the simulator,
// which must foretell each of these answers to the letter.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '#licensing/insight/simulator/index.ts';
import type { Action } from '#licensing/licenses/decision/index.ts';
import { type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { type DeniedLicenses, deniedLicenses, machineId, otherMachine } from './denied-licenses.ts';

const DAY = 86_400;

let app: TestApp;
let key: string;
let made: DeniedLicenses;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('FULL_ADMIN')).secret;
  made = deniedLicenses(app, send);
});
afterAll(() => app.close());

const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
const now = () => app.ctx.now();
const send = (action: string, body: object) => app.post(`/api/v1/license/${action}`, body, key);

const plain = () => app.license();
const over = (extra: object = {}) => app.license({ validUntil: inDays(-2), ...extra });

const activationFailed = (reason: string, extra: object = {}) => ({
  reason,
  status: 'ACTIVE',
  expiredAt: null,
  graceExpiresAt: null,
  current: 0,
  max: 1,
  oldestActivation: null,
  ...extra,
});

type Case = [
  code: string,
  action: Action,
  what: string,
  make: () => Promise<MadeLicense>,
  details: () => object,
  extra?: object,
  body?: object,
];

const cases: Case[] = [
  [
    'ACTIVATION_FAILED',
    'activate',
    'expired, grace included',
    () => over({ gracePeriodSeconds: DAY }),
    () =>
      activationFailed('EXPIRED', { status: 'EXPIRED', expiredAt: inDays(-2), graceExpiresAt: inDays(-1) }),
  ],
  [
    'ACTIVATION_FAILED',
    'activate',
    'suspended',
    () => made.suspended(plain()),
    () => activationFailed('SUSPENDED', { status: 'SUSPENDED' }),
  ],
  [
    'ACTIVATION_FAILED',
    'activate',
    'revoked',
    () => made.revoked(plain()),
    () => activationFailed('REVOKED', { status: 'REVOKED' }),
  ],
  [
    'ACTIVATION_FAILED',
    'activate',
    'all slots taken',
    () => made.taken(plain(), 'activate'),
    () =>
      activationFailed('SEATS_EXHAUSTED', {
        current: 1,
        oldestActivation: { machineName: 'desk', activatedAt: now(), lastSeenAt: now() },
      }),
  ],
  [
    'ACTIVATION_FAILED',
    'activate',
    'a second trial',
    () => made.secondTrial(),
    () => activationFailed('TRIAL_REUSE'),
  ],
  [
    'DEACTIVATION_FAILED',
    'deactivate',
    'nothing to end',
    () => plain(),
    () => ({ reason: 'NO_ACTIVATION', allowedFrom: null }),
  ],
  [
    'DEACTIVATION_FAILED',
    'deactivate',
    'too often',
    () => made.churned(),
    () => ({ reason: 'CHURN_LIMIT', allowedFrom: inDays(7) }),
  ],
  [
    'SEAT_LIMIT_REACHED',
    'checkout',
    'all seats taken',
    () => made.taken(made.floating(), 'checkout'),
    () => ({ seatsUsed: 1, seatsTotal: 1, nextLeaseExpiresAt: inDays(1 / 24) }),
    { seatsUsed: 1, seatsTotal: 1, seatsAvailable: 0 },
  ],
  [
    'LICENSE_EXPIRED',
    'checkout',
    'expired',
    () => over({ type: 'FLOATING', gracePeriodSeconds: DAY }),
    () => ({ expiredAt: inDays(-2), graceExpiresAt: inDays(-1) }),
  ],
  [
    'LICENSE_SUSPENDED',
    'checkout',
    'suspended',
    () => made.suspended(made.floating()),
    () => ({ status: 'SUSPENDED', since: now(), expiredAt: null, grace: false }),
  ],
  [
    'LICENSE_REVOKED',
    'record-usage',
    'revoked',
    () => made.revoked(plain()),
    () => ({ status: 'REVOKED', since: now(), expiredAt: null, grace: false }),
    {},
    { feature: 'export' },
  ],
  [
    'LICENSE_INACTIVE',
    'heartbeat',
    'in grace',
    () => over({ gracePeriodSeconds: 5 * DAY }),
    () => ({ status: 'EXPIRED', since: inDays(-2), expiredAt: inDays(-2), grace: true }),
  ],
  [
    'NOT_ACTIVATED',
    'heartbeat',
    'another machine',
    () => made.taken(plain(), 'activate'),
    () => ({ status: 'ACTIVE', activationsUsed: 1, maxActivations: 1 }),
  ],
  [
    'NOT_ACTIVATED',
    'offline-token',
    'another machine',
    () => made.taken(plain(), 'activate'),
    () => ({ status: 'ACTIVE', activationsUsed: 1, maxActivations: 1 }),
  ],
  [
    'NOT_FLOATING',
    'checkout',
    'a node license',
    () => plain(),
    () => ({ type: 'PERPETUAL', use: 'activate' }),
  ],
  [
    'NOT_FLOATING',
    'checkin',
    'a node license',
    () => plain(),
    () => ({ type: 'PERPETUAL', use: 'activate' }),
  ],
  ['NOT_CHECKED_OUT', 'checkin', 'never', () => made.floating(), () => ({ lastLeaseExpiredAt: null })],
  [
    'NOT_CHECKED_OUT',
    'checkin',
    'a swept lease',
    () => made.swept(),
    () => ({ lastLeaseExpiredAt: new Date(app.clock.epochMs() - 1000).toISOString() }),
  ],
  [
    'USAGE_LIMIT_EXCEEDED',
    'record-usage',
    'used up',
    () => app.license({ maxUses: 2 }),
    () => ({ current: 0, max: 2, requested: 3 }),
    { usage: { current: 0, max: 2 } },
    { quantity: 3, feature: 'export' },
  ],
  [
    'LICENSE_REVOKED',
    'renew',
    'revoked',
    () => made.revoked(plain()),
    () => ({ status: 'REVOKED', since: now(), expiredAt: null, grace: false }),
    {},
    { validUntil: '2030-01-01T00:00:00Z' },
  ],
];

describe('the details of', () => {
  it.each(cases)('%s at %s: %s', async (code, action, _what, make, details, extra = {}, body = {}) => {
    const license = await make();
    const machine = ['record-usage', 'renew'].includes(action) ? {} : { machineId };
    const foretold = await simulate(app.ctx, {
      licenseId: license.id,
      action,
      ...machine,
      ...('quantity' in body && { quantity: Number(body.quantity) }),
      ...('validUntil' in body && { validUntil: String(body.validUntil) }),
    });
    const answer = await send(action, { licenseKey: license.key, ...machine, ...body });
    const { requestId, ...rest } = answer.body as Record<string, unknown>;
    expect(answer.headers['x-request-id']).toBe(requestId);
    expect(requestId).toMatch(/^req_[0-9A-Z]{26}$/);
    expect(rest).toEqual({
      success: false,
      error: { code, message: expect.any(String), details: details() },
      ...extra,
    });
    expect(foretold.answer).toEqual({ httpStatus: answer.status, body: rest });
    for (const secret of [license.key, machineId, otherMachine, 'ann@x.test']) {
      expect(answer.text).not.toContain(secret);
    }
  });

  it.each([
    ['VALIDATION_ERROR', 'renew', { validUntil: '2020-01-01T00:00:00Z' }, ['validUntil']],
    ['VALIDATION_ERROR', 'activate', { machineId: 5, appVersion: {} }, ['machineId', 'appVersion']],
  ])('%s at %s: issues', async (code, action, body, paths) => {
    const { key: licenseKey } = await app.license({ validUntil: inDays(1) });
    const answer = await send(action, { licenseKey, ...body });
    expect(answer.body.error?.code).toBe(code);
    const issues = answer.body.error?.details?.issues as unknown as Record<string, unknown>[];
    expect(issues.map(({ path }) => path)).toEqual(paths);
    expect(Object.keys(issues[0] ?? {})).toEqual(['path', 'rule', 'message']);
    expect(answer.body.requestId).toBe(answer.headers['x-request-id']);
  });

  it('VALIDATION_ERROR where two names of a license contradict each other, or none is given', async () => {
    const [one, two] = [await plain(), await plain()];
    for (const reference of [{}, { licenseId: one.id, licenseKey: two.key }]) {
      const { body } = await send('revoke', reference);
      expect(body.error?.code).toBe('VALIDATION_ERROR');
      expect(body.error?.details?.issues).toHaveLength(1);
    }
  });

  it('INSUFFICIENT_SCOPE: required and actual', async () => {
    const weak = (await app.apiKey('READ_ONLY')).secret;
    const { body } = await app.post('/api/v1/license/activate', {}, weak);
    expect(body).toEqual({
      success: false,
      error: {
        code: 'INSUFFICIENT_SCOPE',
        message: expect.any(String),
        details: { required: 'VALIDATE_ONLY', actual: 'READ_ONLY' },
      },
      requestId: expect.any(String),
    });
  });

  it.each([
    ['NOT_FOUND', 'activate', 'APP-AAAA-BBBB-CCCC-DDDD'],
    ['INVALID_KEY', 'activate', 'APP-AAAA-BBBB-CCCC-DD_D'],
  ])('%s: none', async (code, action, licenseKey) => {
    const { body } = await send(action, { licenseKey, machineId });
    expect(body).toEqual({
      success: false,
      error: { code, message: expect.any(String) },
      requestId: expect.any(String),
    });
  });
});
