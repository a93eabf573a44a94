// POST /api/v1/license/validate: always 200 for what can be judged, and read-only (D20 to D22, D26, D34 to D36, D84).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import type { Answer } from '../support/http-client.ts';

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

/** Validates, and holds the endpoint to writing nothing whatever it says. */
async function validate(body: object): Promise<Answer & { status: Answer }> {
  const { result, changes } = await app.changesBy(() =>
    app.post('/api/v1/license/validate', { machineId, ...body }, key),
  );
  expect(result.status).toBe(200);
  expect(changes).toEqual(nothing);
  return result.body as Answer & { status: Answer };
}

/** A license that is active on the machine. */
async function activeLicense(extra: Parameters<TestApp['license']>[0] = {}) {
  const license = await app.license(extra);
  expect((await activate(license.key)).status).toBe(200);
  return license;
}

describe('the answer', () => {
  it('of a valid license holds exactly the documented fields', async () => {
    const product = await app.product({ name: 'Photo', licensingMode: 'HONOR_SYSTEM' });
    const { key: licenseKey } = await activeLicense({ productId: product.id, features: { sso: true } });
    expect(await validate({ licenseKey, nonce: 'abcdefghijklmnop' })).toEqual({
      success: true,
      valid: true,
      status: 'ACTIVE',
      code: 'VALID',
      message: 'License is valid',
      license: {
        key: licenseKey,
        product: 'Photo',
        tier: 'PERSONAL',
        type: 'PERPETUAL',
        validUntil: null,
        activationsUsed: 1,
        maxActivations: 1,
        features: { sso: true },
      },
      activation: { machineId, machineName: null, activatedAt: app.ctx.now() },
      licensingMode: 'HONOR_SYSTEM',
      serverTime: app.ctx.now(),
      nonce: 'abcdefghijklmnop',
    });
  });

  it('of a key that nobody has', async () => {
    expect(await validate({ licenseKey: 'APP-0000-0000-0000-0000' })).toEqual({
      success: true,
      valid: false,
      status: null,
      code: 'NOT_FOUND',
      message: 'License not found',
      license: null,
      activation: null,
      serverTime: app.ctx.now(),
      requestId: expect.stringMatching(/^req_/),
    });
  });

  it('names its request when it is a refusal, as the header does, and only then', async () => {
    const { key: licenseKey } = await activeLicense();
    const ask = (machine: string) =>
      app.post('/api/v1/license/validate', { licenseKey, machineId: machine }, key);
    const refused = await ask('machine-0002');
    expect(refused.body).toMatchObject({ valid: false, requestId: refused.headers['x-request-id'] });
    const valid = await ask(machineId);
    expect([valid.body.valid, 'requestId' in valid.body]).toEqual([true, false]);
  });

  it('of a key with a character that no key has (D12)', async () => {
    const answer = await validate({ licenseKey: 'APP_0000_0000' });
    expect(answer).toMatchObject({ valid: false, status: null, code: 'INVALID_KEY', license: null });
  });

  it.each([
    [{ licenseKey: 'short' }],
    [{ licenseKey: 'x'.repeat(101) }],
    [{ licenseKey: 'APP-0000-0000', machineId: 'x'.repeat(7) }],
    [{ licenseKey: 'APP-0000-0000', machineId: 'x'.repeat(256) }],
    [{ licenseKey: 'APP-0000-0000', machineId: null }],
    [{ licenseKey: 'APP-0000-0000', appVersion: 'x'.repeat(51) }],
    [{ licenseKey: 'APP-0000-0000', appVersion: 5 }],
    [{ licenseKey: 'APP-0000-0000', nonce: 'short' }],
    [{}],
  ])('%j is 400 VALIDATION_ERROR', async (body) => {
    const { result, changes } = await app.changesBy(() =>
      app.post('/api/v1/license/validate', { machineId, ...body }, key),
    );
    expect([result.status, result.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(changes).toEqual(nothing);
  });
});

describe('codes, first match wins (D21)', () => {
  it('NOT_ACTIVATED on another machine, which sees no activation', async () => {
    const { key: licenseKey } = await activeLicense();
    expect(await validate({ licenseKey, machineId: 'machine-0002' })).toMatchObject({
      valid: false,
      status: 'ACTIVE',
      code: 'NOT_ACTIVATED',
      activation: null,
      license: { activationsUsed: 1 },
    });
  });

  it('SUSPENDED, and VALID again when it is reinstated', async () => {
    const { id, key: licenseKey } = await activeLicense();
    await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
    expect(await validate({ licenseKey })).toMatchObject({
      valid: false,
      status: 'SUSPENDED',
      code: 'SUSPENDED',
    });
    await licenses.reinstate(app.ctx, id);
    expect(await validate({ licenseKey })).toMatchObject({ valid: true, status: 'ACTIVE', code: 'VALID' });
  });

  it('SUSPENDED goes before EXPIRED, REVOKED before both', async () => {
    const { id, key: licenseKey } = await activeLicense({ validUntil: inDays(1) });
    await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
    app.clock.advance(2 * DAY);
    expect(await validate({ licenseKey })).toMatchObject({ status: 'SUSPENDED', code: 'SUSPENDED' });
    await licenses.revoke(app.ctx, { licenseId: id }, null);
    expect(await validate({ licenseKey })).toMatchObject({
      valid: false,
      status: 'REVOKED',
      code: 'REVOKED',
      activation: null,
      license: { activationsUsed: 0 },
    });
  });

  it('EXPIRED from its date on, before any job ran, and with no trace in the row (D34)', async () => {
    const { id, key: licenseKey } = await activeLicense({ validUntil: inDays(1) });
    app.clock.advance(DAY - 0.001);
    expect(await validate({ licenseKey })).toMatchObject({ valid: true, status: 'ACTIVE', code: 'VALID' });
    app.clock.advance(0.001);
    expect(await validate({ licenseKey })).toMatchObject({
      valid: false,
      status: 'EXPIRED',
      code: 'EXPIRED',
    });
    const row = await app.instance.database.db.knex('licenses').where({ id }).first('status');
    expect(row).toEqual({ status: 'ACTIVE' });
    await licenses.renew(app.ctx, { licenseId: id }, inDays(1));
    expect(await validate({ licenseKey })).toMatchObject({ valid: true, status: 'ACTIVE', code: 'VALID' });
  });

  it('NOT_ACTIVATED goes before VERSION_NOT_ALLOWED', async () => {
    const { key: licenseKey } = await activeLicense({ maxVersion: '1' });
    expect(await validate({ licenseKey, appVersion: '2', machineId: 'machine-0002' })).toMatchObject({
      code: 'NOT_ACTIVATED',
      versionAllowed: false,
    });
    expect(await validate({ licenseKey, appVersion: '2' })).toMatchObject({
      valid: false,
      code: 'VERSION_NOT_ALLOWED',
      status: 'ACTIVE',
      versionAllowed: false,
    });
  });
});

describe('grace (D35, D36)', () => {
  it('is valid until its end, exclusive, while the status stays EXPIRED', async () => {
    const policy = await app.policy({ gracePeriodSeconds: DAY });
    const validUntil = inDays(1);
    const { key: licenseKey } = await activeLicense({
      policyId: policy.id,
      validUntil,
      type: 'SUBSCRIPTION',
    });
    app.clock.advance(DAY);
    const graceExpiresAt = inDays(1);
    expect(await validate({ licenseKey })).toMatchObject({
      valid: true,
      status: 'EXPIRED',
      code: 'GRACE',
      grace: true,
      graceExpiresAt,
    });
    expect(await validate({ licenseKey, machineId: 'machine-0002' })).toMatchObject({
      valid: false,
      code: 'NOT_ACTIVATED',
    });
    app.clock.advance(DAY);
    const after = await validate({ licenseKey });
    expect(after).toMatchObject({ valid: false, status: 'EXPIRED', code: 'EXPIRED' });
    expect([after.grace, after.graceExpiresAt]).toEqual([undefined, undefined]);
  });

  it('of the license goes before that of the policy, 0 included', async () => {
    const policy = await app.policy({ gracePeriodSeconds: 10 * DAY });
    const policyId = policy.id;
    const longer = await activeLicense({ policyId, validUntil: inDays(1), gracePeriodSeconds: 20 * DAY });
    const none = await activeLicense({ policyId, validUntil: inDays(1), gracePeriodSeconds: 0 });
    app.clock.advance(11 * DAY);
    expect(await validate({ licenseKey: longer.key })).toMatchObject({ code: 'GRACE' });
    expect(await validate({ licenseKey: none.key })).toMatchObject({ code: 'EXPIRED' });
  });

  it.each(['TRIAL', 'BETA'] as const)('is not given to %s', async (type) => {
    const { key: licenseKey } = await activeLicense({ type, validUntil: inDays(1), gracePeriodSeconds: DAY });
    app.clock.advance(DAY);
    expect(await validate({ licenseKey })).toMatchObject({ valid: false, code: 'EXPIRED' });
  });
});

describe('versions (D83, D84)', () => {
  it.each([
    ['2', '2.99.99', true],
    ['2', '3.0.0', false],
    ['2.4', '2.4.9', true],
    ['2.4', '2.5.0', false],
    ['2.4.1', 'v2.4', true],
    ['2.4.1', '2.4.2', false],
    ['2.4.1', '2.4.2-beta.1', false],
    ['2.4.1', '2.4.1.9', true],
    ['2', '', false],
    ['2', 'latest', false],
  ])('maxVersion %s, version %j: %j', async (maxVersion, appVersion, allowed) => {
    const { key: licenseKey } = await activeLicense({ maxVersion });
    expect(await validate({ licenseKey, appVersion })).toMatchObject({
      valid: allowed,
      versionAllowed: allowed,
      code: allowed ? 'VALID' : 'VERSION_NOT_ALLOWED',
    });
  });

  it('is not spoken of without maxVersion or without a version', async () => {
    const free = await activeLicense();
    const bound = await activeLicense({ maxVersion: '2' });
    expect(await validate({ licenseKey: free.key, appVersion: '99' })).not.toHaveProperty('versionAllowed');
    expect(await validate({ licenseKey: bound.key })).not.toHaveProperty('versionAllowed');
  });
});

describe('usage and features', () => {
  it.each([
    [undefined, 0, undefined],
    [undefined, 3, { current: 3, max: null }],
    [8, 0, { current: 0, max: 8, remaining: 8, percentUsed: 0 }],
    [3, 1, { current: 1, max: 3, remaining: 2, percentUsed: 33.33 }],
    [0, 0, { current: 0, max: 0, remaining: 0, percentUsed: 100 }],
  ])('maxUses %j with %i uses shows %j (D20, D30)', async (maxUses, used, usage) => {
    const { id, key: licenseKey } = await activeLicense(maxUses === undefined ? {} : { maxUses });
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('licenses').where({ id }).update({ current_uses: used });
    });
    expect((await validate({ licenseKey })).usage).toEqual(usage);
  });

  it('the license overrides the policy key by key, null and false included (D26)', async () => {
    const policy = await app.policy({ entitlements: { a: 1, b: 2, c: { d: 3 } } });
    const features = { b: null, c: { e: 4 }, f: false };
    const { key: licenseKey } = await activeLicense({ policyId: policy.id, features });
    expect((await validate({ licenseKey })).license?.features).toEqual({
      a: 1,
      b: null,
      c: { e: 4 },
      f: false,
    });
  });

  it('the policy of the product counts for a license without its own, taken whole (D64)', async () => {
    const ofProduct = await app.policy({ entitlements: { product: true }, maxVersion: '1' });
    const own = await app.policy({ entitlements: { own: true } });
    const product = await app.product({ policyId: ofProduct.id });
    const inherited = await activeLicense({ productId: product.id });
    const special = await activeLicense({ productId: product.id, policyId: own.id });
    expect(await validate({ licenseKey: inherited.key, appVersion: '2' })).toMatchObject({
      license: { features: { product: true } },
      versionAllowed: false,
    });
    const answer = await validate({ licenseKey: special.key, appVersion: '2' });
    expect(answer.license?.features).toEqual({ own: true });
    expect(answer).not.toHaveProperty('versionAllowed');
  });
});
