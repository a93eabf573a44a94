// POST /api/v1/license/validate-entitlement: fields, states, errors (spec; D2, D26, D36, D37, D82, C13).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

const path = '/api/v1/license/validate-entitlement';
const DAY = 86_400;
let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp({ listener: true });
  key = (await app.apiKey('VALIDATE_ONLY')).secret;
});
afterAll(() => app.close());

/** Asks, and holds that nothing was written or told. */
async function ask(licenseKey: string, entitlement: unknown = 'sso', more: object = {}, secret = key) {
  const heard = app.heard.length;
  const { result, changes } = await app.changesBy(() =>
    app.post(path, { key: licenseKey, entitlement, ...more }, secret),
  );
  expect([changes, app.heard.length]).toEqual([nothing, heard]);
  return result;
}

async function refused(licenseKey: string, entitlement: unknown, code: string, status = 400) {
  const { status: answered, body } = await ask(licenseKey, entitlement);
  expect([answered, body.success, body.error?.code]).toEqual([status, false, code]);
  return body.error;
}

const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();

describe('the value', () => {
  it.each<[what: string, stored: unknown, entitled: boolean]>([
    ['true', true, true],
    ['false', false, false],
    ['a number', 25, true],
    ['0', 0, true],
    ['a text', 'gold', true],
    ['an empty text', '', true],
    ['null', null, true],
    ['an object', { a: [1] }, true],
  ])('%s is given as stored (D82)', async (_what, value, entitled) => {
    const { key: licenseKey } = await app.license({ features: { sso: value as string } });
    const { status, body } = await ask(licenseKey);
    expect([status, body]).toEqual([200, { success: true, valid: true, entitled, value }]);
  });

  it('of a name that is not there is null, and the license stays valid', async () => {
    const { key: licenseKey } = await app.license({ features: { sso: true, 'a.b': 1, a: { b: 2 } } });
    const absent = { success: true, valid: true, entitled: false, value: null };
    for (const name of ['SSO', 'sso ', 'a.c', 'constructor', '__proto__', 'toString']) {
      expect((await ask(licenseKey, name)).body).toEqual(absent);
    }
    expect((await ask(licenseKey, 'a.b')).body.value).toBe(1);
    expect((await ask((await app.license()).key)).body).toEqual(absent);
  });

  it('of __proto__ is found when it is stored', async () => {
    const features = JSON.parse('{"__proto__":7}');
    const { key: licenseKey } = await app.license({ features });
    expect((await ask(licenseKey, '__proto__')).body).toMatchObject({ entitled: true, value: 7 });
  });

  it('comes from the policy, and the license goes before it (D26)', async () => {
    const policy = await app.policy({ entitlements: { sso: true, seats: 5 } });
    const { key: licenseKey } = await app.license({ policyId: policy.id, features: { sso: false } });
    expect((await ask(licenseKey, 'seats')).body).toMatchObject({ entitled: true, value: 5 });
    expect((await ask(licenseKey, 'sso')).body).toMatchObject({ entitled: false, value: false });
  });

  it('comes from the policy of the product too (D64)', async () => {
    const policy = await app.policy({ entitlements: { seats: 9 } });
    const product = await app.product({ policyId: policy.id });
    const { key: licenseKey } = await app.license({ productId: product.id });
    expect((await ask(licenseKey, 'seats')).body).toMatchObject({ entitled: true, value: 9 });
  });
});

describe('status never refuses (D37): valid says whether the license is usable', () => {
  const held = { features: { sso: true } };
  it.each(['SUSPENDED', 'REVOKED'])('%s: valid false, entitled as ever', async (status) => {
    const { id, key: licenseKey } = await app.license(held);
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('licenses').where({ id }).update({ status });
    });
    expect((await ask(licenseKey)).body).toEqual({
      success: true,
      valid: false,
      entitled: true,
      value: true,
      requestId: expect.stringMatching(/^req_/),
    });
  });

  it('EXPIRED: valid false; in grace valid true with grace true (D36)', async () => {
    const { key: licenseKey } = await app.license({ ...held, validUntil: inDays(1), gracePeriodSeconds: 60 });
    const answer = { success: true, entitled: true, value: true };
    expect((await ask(licenseKey)).body).toEqual({ ...answer, valid: true });
    app.clock.advance(DAY);
    expect((await ask(licenseKey)).body).toEqual({ ...answer, valid: true, grace: true });
    app.clock.advance(60);
    expect((await ask(licenseKey)).body).toEqual({
      ...answer,
      valid: false,
      requestId: expect.stringMatching(/^req_/),
    });
  });
});

describe('the request', () => {
  it('unknown keys are 404 without details, other characters INVALID_KEY (D12, D13)', async () => {
    expect((await refused('APP-0000-0000-0000-0000', 'sso', 'NOT_FOUND', 404))?.details).toBeUndefined();
    await refused('APP_0000_0000', 'sso', 'INVALID_KEY');
  });

  it('of another tenant or outside the API key is unknown (D19c)', async () => {
    await refused((await app.license({}, await app.otherTenant())).key, 'sso', 'NOT_FOUND', 404);
    const confined = await app.apiKey('VALIDATE_ONLY', { productIds: [(await app.product()).id] });
    expect((await ask((await app.license()).key, 'sso', {}, confined.secret)).status).toBe(404);
  });

  it('takes no machineId, reads licenseKey as key, and gives the nonce back', async () => {
    const { key: licenseKey } = await app.license({ features: { sso: 1 } });
    const body = { licenseKey, entitlement: 'sso', machineId: 5, nonce: 'abcdefghijklmnop' };
    const reply = await app.post(path, body, key);
    expect(reply.body).toMatchObject({ valid: true, entitled: true, nonce: 'abcdefghijklmnop' });
  });

  it('entitlement: 1 to 100 characters, counted in code points (D10)', async () => {
    const { key: licenseKey } = await app.license();
    for (const name of ['x', 'x'.repeat(100), '\u{1F600}'.repeat(100)]) {
      expect((await ask(licenseKey, name)).status).toBe(200);
    }
    for (const name of ['', 'x'.repeat(101), '\u{1F600}'.repeat(101), 5, null, {}, [], 'a\0']) {
      await refused(licenseKey, name, 'VALIDATION_ERROR');
    }
    const { body } = await app.post(path, { key: licenseKey }, key);
    expect(body.error?.details?.issues).toEqual([
      { path: 'entitlement', rule: 'required', message: 'is required' },
    ]);
  });

  it('READ_ONLY is INSUFFICIENT_SCOPE unless the setting opens it (D18)', async () => {
    const { key: licenseKey } = await app.license();
    const { secret } = await app.apiKey('READ_ONLY');
    expect((await ask(licenseKey, 'sso', {}, secret)).body.error?.code).toBe('INSUFFICIENT_SCOPE');
  });
});
