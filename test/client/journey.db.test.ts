// The client SDK with the real service: every operation, each answer verified by its signature (licensing.md 7).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp } from '../support/app.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { machineId, machineOf, type Shop } from './live.ts';

let shop: Shop;
beforeAll(async () => {
  const app = await startApp();
  const product = await app.product({ name: 'Photo' });
  const signer = await delegatedProduct(app.ctx, product);
  shop = { app, product, signer, apiKey: (await app.apiKey('VALIDATE_ONLY')).secret };
});
afterAll(() => shop.app.close());

const inDays = (days: number) => new Date(shop.app.clock.epochMs() + days * 86_400_000).toISOString();
const license = (extra: Parameters<Shop['app']['license']>[0] = {}) =>
  shop.app.license({ productId: shop.product.id, ...extra });

describe('the first day of a license', () => {
  it('activate, validate, check, entitlement, deactivate', async () => {
    const { id, key } = await license({
      features: { sso: true, seats: 5 },
      maxVersion: '2',
      tier: 'BUSINESS',
    });
    const { client, answers, heard } = machineOf(shop, key, { appVersion: '2.1' });
    expect(await client.access()).toMatchObject({ allowed: false, code: 'NOT_ACTIVATED', status: 'ACTIVE' });
    const { result, changes } = await shop.app.changesBy(() => client.activate());
    expect(changes.events).toEqual(['LICENSE_ACTIVATED']);
    const at = shop.app.ctx.now();
    const activation = { machineId, machineName: 'Desk', activatedAt: at };
    const licensePublic = {
      key,
      product: 'Photo',
      tier: 'BUSINESS',
      type: 'PERPETUAL',
      validUntil: null,
      activationsUsed: 1,
      maxActivations: 1,
      features: { sso: true, seats: 5 },
    };
    const done = { activated: true, code: 'ACTIVATED', message: 'License activated' };
    expect(result).toEqual({ ...done, license: licensePublic, activation, versionAllowed: true });
    expect(await client.access()).toEqual({
      allowed: true,
      enforced: true,
      valid: true,
      code: 'VALID',
      status: 'ACTIVE',
      message: expect.any(String),
      source: 'server',
      mode: 'STANDARD',
      license: licensePublic,
      activation,
      features: { sso: true, seats: 5 },
      grace: false,
      graceExpiresAt: null,
      versionAllowed: true,
      usage: null,
      seats: null,
      checkedAt: at,
      offlineUntil: null,
      offlineProblem: null,
      retryAfterSeconds: null,
      retryAt: null,
    });
    expect(client.feature('seats')).toBe(5);
    expect(await client.check()).toEqual({
      status: 'ACTIVE',
      type: 'PERPETUAL',
      tier: 'BUSINESS',
      maxVersion: '2',
      features: { sso: true, seats: 5 },
      licensingMode: 'STANDARD',
    });
    expect(await client.entitlement('seats')).toEqual({ valid: true, entitled: true, value: 5 });
    expect(await client.entitlement('none')).toEqual({ valid: true, entitled: false, value: null });
    const gone = await shop.app.changesBy(() => client.deactivate());
    expect(gone.changes.events).toEqual(['LICENSE_DEACTIVATED']);
    expect(await client.access()).toMatchObject({ allowed: false, code: 'NOT_ACTIVATED' });
    expect(answers).toEqual([
      ...['200 validate', '200 activate', '200 validate', '200 check', '200 validate-entitlement'],
      ...['200 validate-entitlement', '200 deactivate', '200 validate'],
    ]);
    expect(heard.map(({ event }) => event)).toEqual(['access', 'access', 'access']);
    expect((await shop.app.eventsOf(id)).map(({ type }) => type)).toContain('LICENSE_ACTIVATED');
  });

  it('refusals arrive with their details', async () => {
    const { key } = await license();
    await machineOf(shop, key).client.activate();
    const second = machineOf(shop, key, { machine: { id: 'machine-0002' } });
    expect(await second.client.activate()).toMatchObject({
      activated: false,
      code: 'ACTIVATION_FAILED',
      reason: 'SEATS_EXHAUSTED',
      message: 'Maximum activations reached (1 of 1)',
      details: { reason: 'SEATS_EXHAUSTED', current: 1, max: 1 },
      requestId: expect.stringMatching(/^req_/),
    });
    await expect(second.client.deactivate()).rejects.toMatchObject({ code: 'DEACTIVATION_FAILED' });
    expect(await second.client.access()).toMatchObject({ code: 'NOT_ACTIVATED' });
  });
});

describe('what access() says', () => {
  const activated = async (extra: Parameters<typeof license>[0] = {}, options = {}) => {
    const made = await license(extra);
    const machine = machineOf(shop, made.key, options);
    await machine.client.activate();
    return { ...made, ...machine };
  };

  it('EXPIRED, GRACE, SUSPENDED, REVOKED, VERSION_NOT_ALLOWED', async () => {
    const expired = await activated({ type: 'SUBSCRIPTION', validUntil: inDays(1) });
    const graceful = await activated({
      type: 'SUBSCRIPTION',
      validUntil: inDays(1),
      gracePeriodSeconds: 86_400,
    });
    const suspended = await activated();
    const revoked = await activated();
    const old = await activated({ maxVersion: '1' }, { appVersion: '2.0' });
    const graceExpiresAt = inDays(2);
    shop.app.clock.advance(86_400);
    await licenses.suspend(shop.app.ctx, suspended.id, { reason: 'ADMIN', note: null });
    await licenses.revoke(shop.app.ctx, { licenseId: revoked.id }, null);
    const said = await Promise.all(
      [expired, graceful, suspended, revoked, old].map(({ client }) => client.access({ force: true })),
    );
    expect(said.map(({ allowed, code, status }) => [allowed, code, status])).toEqual([
      [false, 'EXPIRED', 'EXPIRED'],
      [true, 'GRACE', 'EXPIRED'],
      [false, 'SUSPENDED', 'SUSPENDED'],
      [false, 'REVOKED', 'REVOKED'],
      [false, 'VERSION_NOT_ALLOWED', 'ACTIVE'],
    ]);
    expect(said[1]).toMatchObject({ grace: true, graceExpiresAt });
    expect(said[4]?.versionAllowed).toBe(false);
  });

  it('keys that are none: signed only when the API key is bound to the product', async () => {
    const unknown = 'APP-AAAA-BBBB-CCCC-DDDD';
    const open = machineOf(shop, unknown, { signedResponses: 'verify' });
    expect(await open.client.access()).toMatchObject({ allowed: false, code: 'NOT_FOUND', status: null });
    const free = machineOf(shop, unknown);
    expect(await free.client.access()).toMatchObject({ code: 'UNREACHABLE' });
    const { secret } = await shop.app.apiKey('VALIDATE_ONLY', { productIds: [shop.product.id] });
    const bound = machineOf({ ...shop, apiKey: secret }, unknown);
    expect(await bound.client.access()).toMatchObject({ code: 'NOT_FOUND' });
    const odd = machineOf({ ...shop, apiKey: secret }, 'APP-ÄÄÄÄ-BBBB-CCCC');
    expect(await odd.client.access()).toMatchObject({ code: 'INVALID_KEY' });
  });

  it('an API key that is refused is no answer about the license', async () => {
    const { key } = await license();
    const { client, heard } = machineOf({ ...shop, apiKey: 'alk_unknown' }, key);
    expect(await client.access()).toMatchObject({ allowed: false, code: 'UNREACHABLE' });
    expect(heard).toMatchObject([
      { event: 'background-error', value: { code: 'INVALID_API_KEY' } },
      { event: 'access' },
    ]);
  });

  it('HONOR_SYSTEM is learned from the product', async () => {
    const { app, product } = shop;
    const { id, client, cut } = await activated();
    await products.update(app.ctx, product.id, { licensingMode: 'HONOR_SYSTEM' });
    try {
      await licenses.revoke(app.ctx, { licenseId: id }, null);
      const open = { allowed: true, enforced: false, mode: 'HONOR_SYSTEM', valid: false };
      expect(await client.access({ force: true })).toMatchObject({ ...open, code: 'REVOKED' });
      expect(await client.recordUsage('export')).toMatchObject({ recorded: false });
      cut();
      expect(await client.access({ force: true })).toMatchObject({ ...open, code: 'UNREACHABLE' });
    } finally {
      await products.update(app.ctx, product.id, { licensingMode: 'STANDARD' });
    }
  });
});

it('a rate limit of the service is waited for as it says, and no longer than an interactive call may', async () => {
  const limit = { 'licensing.limits.read.max': '1' };
  const app = await startApp({ limits: 'on', pins: limit });
  try {
    const product = await app.product();
    const signer = await delegatedProduct(app.ctx, product);
    const apiKey = (await app.apiKey('VALIDATE_ONLY')).secret;
    const { key } = await app.license({ productId: product.id });
    const { client, answers } = machineOf({ app, product, signer, apiKey }, key);
    expect(await client.access()).toMatchObject({ code: 'NOT_ACTIVATED' });
    const refused = await client.validate().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', httpStatus: 429 });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(800);
    expect(answers).toEqual(['200 validate', '429 validate']);
  } finally {
    await app.close();
  }
});
