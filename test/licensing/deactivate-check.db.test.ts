// POST /api/v1/license/deactivate and GET /api/v1/license/check/{key} (D12, D13, D62, D63).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

const machineId = 'machine-0001';
const DAY = 86_400;

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('VALIDATE_ONLY')).secret;
});
afterAll(() => app.close());

const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
const activate = (licenseKey: string, machine = machineId) =>
  app.post('/api/v1/license/activate', { licenseKey, machineId: machine }, key);
const deactivate = (body: object) =>
  app.changesBy(() => app.post('/api/v1/license/deactivate', { machineId, ...body }, key));
const freed = { events: ['LICENSE_DEACTIVATED'], rows: { license_activations: '~1' } };

async function refused(body: object, code: string, status = 400) {
  const { result, changes } = await deactivate(body);
  expect([result.status, result.body.error?.code]).toEqual([status, code]);
  expect(changes).toEqual(nothing);
  return result.body.error;
}

describe('deactivate', () => {
  it('frees the slot and tells it', async () => {
    const { id, key: licenseKey } = await app.license({ maxActivations: 2 });
    await activate(licenseKey);
    await activate(licenseKey, 'machine-0002');
    const { result, changes } = await deactivate({ licenseKey });
    expect([result.status, result.body]).toEqual([200, { success: true, message: 'License deactivated' }]);
    expect(changes).toEqual(freed);
    const event = (await app.eventsOf(id)).find(({ type }) => type === 'LICENSE_DEACTIVATED');
    expect(event?.data.details).toEqual({ machineId, machineName: null, reason: 'CLIENT' });
    expect((await activate(licenseKey)).body.license?.activationsUsed).toBe(2);
  });

  it('of a machine that holds none, or did before: DEACTIVATION_FAILED', async () => {
    const { key: licenseKey } = await app.license();
    const message = 'No active activation exists for this machine';
    const details = { reason: 'NO_ACTIVATION', allowedFrom: null };
    expect(await refused({ licenseKey }, 'DEACTIVATION_FAILED')).toMatchObject({ message, details });
    await activate(licenseKey);
    expect((await deactivate({ licenseKey })).changes).toEqual(freed);
    expect(await refused({ licenseKey }, 'DEACTIVATION_FAILED')).toMatchObject({ message, details });
    await refused({ licenseKey, machineId: 'MACHINE-0001' }, 'DEACTIVATION_FAILED');
  });

  it('works for an expired and for a suspended license (D62), and a revoked one holds none', async () => {
    const dated = await app.license({ validUntil: inDays(1) });
    const suspended = await app.license();
    const revoked = await app.license();
    for (const license of [dated, suspended, revoked]) await activate(license.key);
    app.clock.advance(2 * DAY);
    await licenses.suspend(app.ctx, suspended.id, { reason: 'ADMIN', note: null });
    await licenses.revoke(app.ctx, { licenseId: revoked.id }, null);
    // The first to lock it after its date persists that (D34).
    expect((await deactivate({ licenseKey: dated.key })).changes).toEqual({
      events: [...freed.events, 'LICENSE_EXPIRED'],
      rows: { ...freed.rows, licenses: '~1' },
    });
    expect((await deactivate({ licenseKey: suspended.key })).changes).toEqual(freed);
    await refused({ licenseKey: revoked.key }, 'DEACTIVATION_FAILED');
  });

  it('judges key and machine like activate', async () => {
    await refused({ licenseKey: 'APP_0000_0000' }, 'INVALID_KEY');
    await refused({ licenseKey: 'APP-0000-0000-0000-0000' }, 'NOT_FOUND', 404);
    for (const licenseKey of ['x'.repeat(9), 'x'.repeat(101), 5, null])
      await refused({ licenseKey }, 'VALIDATION_ERROR');
    for (const machine of ['x'.repeat(7), 'x'.repeat(256), 5, null])
      await refused({ licenseKey: 'APP-0000-0000', machineId: machine }, 'VALIDATION_ERROR');
  });

  it('stops at the limit of its policy until the oldest one has left the window (D63)', async () => {
    const policy = await app.policy({ maxDeactivations: 2, deactivationWindowDays: 30 });
    const { key: licenseKey } = await app.license({ policyId: policy.id });
    const turn = async () => {
      await activate(licenseKey);
      return deactivate({ licenseKey });
    };
    expect((await turn()).changes).toEqual(freed);
    const allowedFrom = inDays(30);
    app.clock.advance(DAY);
    expect((await turn()).changes).toEqual(freed);
    await activate(licenseKey);
    expect(await refused({ licenseKey }, 'DEACTIVATION_FAILED')).toEqual({
      code: 'DEACTIVATION_FAILED',
      message: 'Deactivation limit reached',
      details: { reason: 'CHURN_LIMIT', allowedFrom },
    });
    app.clock.advance(29 * DAY - 1);
    await refused({ licenseKey }, 'DEACTIVATION_FAILED');
    app.clock.advance(1);
    expect((await deactivate({ licenseKey })).changes).toEqual(freed);
  });
});

describe('check', () => {
  const check = async (text: string) => {
    const { result, changes } = await app.changesBy(() => app.get(`/api/v1/license/check/${text}`, key));
    expect(changes).toEqual(nothing);
    return result;
  };

  it('answers with the documented fields', async () => {
    const product = await app.product({ licensingMode: 'HONOR_SYSTEM' });
    const extra = { maxVersion: '2', features: { sso: true }, tier: 'ENTERPRISE', type: 'BETA' } as const;
    const { key: licenseKey } = await app.license({ productId: product.id, ...extra });
    expect((await check(licenseKey)).body).toEqual({
      success: true,
      status: 'ACTIVE',
      licensingMode: 'HONOR_SYSTEM',
      ...extra,
    });
    expect((await check(`${licenseKey}?nonce=abcdefghijklmnop`)).body.nonce).toBe('abcdefghijklmnop');
  });

  it('tells every status, computed now', async () => {
    const { id, key: licenseKey } = await app.license({ validUntil: inDays(1), gracePeriodSeconds: DAY });
    const status = async () => (await check(licenseKey)).body.status;
    expect(await status()).toBe('ACTIVE');
    app.clock.advance(DAY);
    expect(await status()).toBe('EXPIRED');
    await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
    expect(await status()).toBe('SUSPENDED');
    await licenses.revoke(app.ctx, { licenseId: id }, null);
    expect(await status()).toBe('REVOKED');
  });

  it('finds the key as people type it', async () => {
    const { key: licenseKey } = await app.license({ key: 'OLD-0101-2222-3333-4444' });
    for (const typed of [licenseKey.toLowerCase(), 'old-OlOi-2222-3333-4444', `%20${licenseKey}%20`])
      expect((await check(typed)).status).toBe(200);
    // Only what follows the first hyphen is read with other eyes.
    expect((await check('0LD-0101-2222-3333-4444')).status).toBe(404);
  });

  it.each([
    'APP-0000-0000-0000-0000',
    'x',
    'x'.repeat(101),
    'x'.repeat(5000),
    'a%20b',
    '%F0%9F%98%80',
    '%0A',
  ])('of %s is 404 (D12)', async (text) => {
    const { status, body } = await check(text);
    expect([status, body.error]).toEqual([404, { code: 'NOT_FOUND', message: 'License not found' }]);
  });

  it.each(['nonce=short', `nonce=${'x'.repeat(65)}`, 'nonce=abcdefghijklmno%00', 'nonce=a&nonce=b'])(
    'with %s is 400',
    async (query) => {
      const { key: licenseKey } = await app.license();
      expect((await check(`${licenseKey}?${query}`)).body.error?.code).toBe('VALIDATION_ERROR');
    },
  );
});
