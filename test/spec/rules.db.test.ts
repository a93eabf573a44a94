// Rules of the specification that stand in its text, and not in one of its tables.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import * as abuse from '#licensing/insight/abuse/index.ts';
import { flushStatistics } from '#licensing/insight/statistics/index.ts';
import { openShop, purchase } from '../support/inbound.ts';
import { row } from './rows.ts';
import { MACHINE, OTHER_MACHINE, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ proxyTrust: '127.0.0.1' });
});
afterAll(() => world.close());

const UNKNOWN = 'APP-0000-0000-0000-0000';
const validate = (licenseKey: string, more: object = {}) =>
  world.call('validate', { licenseKey, machineId: MACHINE, ...more });
const active = async (key: string) => {
  await world.call('activate', { licenseKey: key, machineId: MACHINE });
  return key;
};
const order = (productId: string, email: string) => ({ productId, customerEmail: email });

it(row('state', 'license: none, create-bulk -> ACTIVE'), async () => {
  const { id } = await world.product();
  const licenses = [order(id, 'a@x.test'), order(id, 'b@x.test')];
  const { status, body } = await world.call('create-bulk', { licenses });
  const made = (body.results as unknown as { license: { id: string; status: string } }[]).map(
    ({ license }) => license,
  );
  expect([status, made.map((license) => license.status)]).toEqual([201, ['ACTIVE', 'ACTIVE']]);
  for (const license of made) expect(world.typesTold(license.id)).toEqual(['LICENSE_CREATED']);
});

it(row('state', 'license: none, inbound webhook -> ACTIVE'), async () => {
  const shop = await openShop(world, 'GENERIC');
  await shop.map('price_1');
  await shop.send(purchase('first'));
  const [license] = await shop.licenses();
  expect(license?.status).toBe('ACTIVE');
  expect(world.typesTold(license?.id ?? '')).toEqual(['LICENSE_CREATED']);
});

it(row('rule', 'a customer with the same e-mail is reused'), async () => {
  const { id } = await world.product();
  const { result: first, changes: made } = await world.changesBy(() =>
    world.call('create', order(id, 'Carol@X.test')),
  );
  const { result: second, changes: reused } = await world.changesBy(() =>
    world.call('create', order(id, 'carol@x.test')),
  );
  expect([first.status, second.status]).toEqual([201, 201]);
  expect([made.rows.license_customers, reused.rows.license_customers]).toEqual(['+1', undefined]);
});

it(row('rule', 'a policy is linked to a product or to individual licenses'), async () => {
  const policy = await world.policy({ heartbeatInterval: 10 });
  const { id } = await world.product({ policyId: policy.id });
  const byProduct = await world.license({ productId: id });
  const byItself = await world.underPolicy({ heartbeatInterval: 5 });
  const neither = await world.license();
  const next = async (key: string) => {
    await active(key);
    const { body } = await world.call('heartbeat', { key, machineId: MACHINE });
    return body.nextHeartbeatAt === undefined
      ? null
      : (Date.parse(String(body.nextHeartbeatAt)) - world.clock.epochMs()) / 60_000;
  };
  expect([await next(byProduct.key), await next(byItself.key), await next(neither.key)]).toEqual([
    10,
    5,
    null,
  ]);
});

it(row('rule', 'entitlements come from the features and from the policy'), async () => {
  const { key } = await world.underPolicy(
    { entitlements: { seats: 5, export: true } },
    { features: { seats: 9, sync: 'daily' } },
  );
  const asked = async (entitlement: string) =>
    (await world.call('validate-entitlement', { key, entitlement })).body;
  expect(await asked('seats')).toMatchObject({ valid: true, entitled: true, value: 9 });
  expect(await asked('sync')).toMatchObject({ entitled: true, value: 'daily' });
  expect(await asked('export')).toMatchObject({ entitled: true });
  expect(await asked('print')).toMatchObject({ valid: true, entitled: false, value: null });
});

it(row('rule', 'the licensing mode is set per product'), async () => {
  for (const licensingMode of ['STANDARD', 'HONOR_SYSTEM'] as const) {
    const { id } = await world.product({ licensingMode });
    const { key } = await world.license({ productId: id });
    expect((await world.get(`/api/v1/license/check/${key}`, world.key)).body).toMatchObject({
      licensingMode,
    });
  }
});

it(row('rule', 'validate: grace and graceExpiresAt in a grace period'), async () => {
  const validUntil = new Date(world.clock.epochMs() + 60_000).toISOString();
  const { key } = await world.underPolicy({ gracePeriodSeconds: 3600 }, { validUntil });
  await active(key);
  expect((await validate(key)).body).not.toHaveProperty('grace');
  world.clock.advance(120);
  const graceExpiresAt = new Date(Date.parse(validUntil) + 3_600_000).toISOString();
  expect((await validate(key)).body).toMatchObject({ valid: true, grace: true, graceExpiresAt });
  world.clock.advance(3600);
  expect((await validate(key)).body).toMatchObject({ valid: false });
});

it(row('rule', 'validate: versionAllowed when version restrictions apply'), async () => {
  const key = await active((await world.license({ maxVersion: '2' })).key);
  expect((await validate(key, { appVersion: '2.9.0' })).body).toMatchObject({
    valid: true,
    versionAllowed: true,
  });
  expect((await validate(key, { appVersion: '3.0.0' })).body).toMatchObject({ versionAllowed: false });
  const free = await active((await world.license()).key);
  expect((await validate(free, { appVersion: '3.0.0' })).body).not.toHaveProperty('versionAllowed');
});

it(row('rule', 'validate: floating for floating licenses'), async () => {
  const { key } = await world.floating(2);
  await world.call('checkout', { key, machineId: MACHINE });
  expect((await validate(key)).body.floating).toMatchObject({
    seatsUsed: 1,
    seatsTotal: 2,
    seatsAvailable: 1,
  });
  expect((await validate(await active((await world.license()).key))).body).not.toHaveProperty('floating');
});

it(row('rule', 'validate: usage for metered licenses'), async () => {
  const key = await active((await world.license({ maxUses: 10 })).key);
  await world.call('record-usage', { key, feature: 'export', quantity: 4 });
  expect((await validate(key)).body.usage).toMatchObject({ current: 4, max: 10 });
  expect((await validate(await active((await world.license()).key))).body).not.toHaveProperty('usage');
});

it(row('rule', 'validate answers 200 for every processed request'), async () => {
  const { id, key } = await world.license();
  const revoked = await world.license();
  await world.call('revoke', { licenseId: revoked.id });
  expect(id).toMatch(/^lic_/);
  for (const licenseKey of [UNKNOWN, key, revoked.key]) {
    const { status, body } = await validate(licenseKey);
    expect([status, body.success, body.valid]).toEqual([200, true, false]);
  }
  expect((await world.call('validate', { licenseKey: key })).status).toBe(400);
});

it(row('rule', 'inbound webhooks answer 200 always'), async () => {
  const shop = await openShop(world, 'GENERIC');
  const unknown = await world.post('/api/v1/webhooks/inbound/iwc_unknown', { event: 'purchase' });
  const forged = await shop.send(purchase('x'), { secret: 'another-secret-of-somebody' });
  const unmapped = await shop.send(purchase('y'));
  expect([unknown.status, forged.status, unmapped.status]).toEqual([200, 200, 200]);
  expect([unknown.body.success, forged.body.success]).toEqual([false, false]);
  expect(await shop.licenses()).toEqual([]);
});

it(row('rule', 'create-bulk answers 207 when some items fail'), async () => {
  const { id } = await world.product();
  const licenses = [order(id, 'a@x.test'), order('prd_unknown', 'b@x.test'), order(id, 'c@x.test')];
  const { status, body } = await world.call('create-bulk', { licenses });
  expect(status).toBe(207);
  expect((body.results as unknown as { success: boolean }[]).map(({ success }) => success)).toEqual([
    true,
    false,
    true,
  ]);
});

it(row('rule', 'health answers 503 when the database is unreachable'), async () => {
  const other = await openWorld();
  expect((await other.get('/api/health')).status).toBe(200);
  await other.instance.database.close();
  // The answer of a moment ago may be kept for a second.
  await expect.poll(async () => (await other.get('/api/health')).status, { timeout: 10_000 }).toBe(503);
  // Its pool cannot be closed a second time, on Postgres; the rest of it goes.
  await Promise.allSettled([other.close()]);
});

it(row('rule', 'docs are served in non-production and disabled in production'), async () => {
  expect((await world.get('/api/docs')).status).toBe(404);
  const development = await openWorld({ productionMode: false });
  expect((await development.get('/api/docs')).status).toBe(200);
  await development.close();
});

it(row('rule', 'an API key may have an IP allowlist and an expiration date'), async () => {
  const expiresAt = new Date(world.clock.epochMs() + 60_000).toISOString();
  const { secret } = await world.apiKey('FULL_ADMIN', { ipAllowlist: ['203.0.113.0/24'], expiresAt });
  const from = async (address: string) =>
    (await world.get('/api/v1/products', secret, { 'X-Forwarded-For': address })).body.error?.code ?? 'open';
  expect([await from('203.0.113.9'), await from('198.51.100.1')]).toEqual(['open', 'IP_NOT_ALLOWED']);
  world.clock.advance(61);
  expect(await from('203.0.113.9')).toBe('API_KEY_EXPIRED');
});

it(row('rule', 'a license of another tenant is unknown'), async () => {
  const other = await world.otherTenant();
  const { id } = await world.product({}, other);
  const { key } = await world.license({ productId: id }, other);
  const { secret } = await world.apiKey('FULL_ADMIN', {}, other);
  const check = async (apiKey: string) => (await world.get(`/api/v1/license/check/${key}`, apiKey)).status;
  expect([await check(world.key), await check(secret)]).toEqual([404, 200]);
});

it(row('rule', 'the key format is customizable'), async () => {
  const format = { name: 'acme', prefix: 'ACME', segments: 5, alphabet: 'HEX', checksum: 'NONE' } as const;
  const { id: keyFormatId } = await keyFormats.create(world.ctx, format);
  const { id } = await world.product({ keyFormatId });
  const { body } = await world.call('create', order(id, 'a@x.test'));
  const { key } = body.license as unknown as { key: string };
  expect(key).toMatch(/^ACME(-[0-9A-F]{4}){5}$/);
  await world.call('activate', { licenseKey: key, machineId: OTHER_MACHINE });
  expect((await world.call('validate', { licenseKey: key, machineId: OTHER_MACHINE })).body.valid).toBe(true);
});

it(row('rule', 'suspicious use of a license is detected and flagged'), async () => {
  const { id, key } = await world.license();
  await active(key);
  const validateFrom = (network: number) =>
    world.call('validate', { licenseKey: key, machineId: MACHINE }, world.key, {
      'X-Forwarded-For': `10.0.${network}.1`,
    });
  const flags = async () =>
    (await abuse.flagRows.page(world.ctx, { filters: { licenseId: [id] }, offset: 0, limit: 10 })).items.map(
      ({ rule, status }) => `${rule} ${status}`,
    );
  const detect = async () => {
    await flushStatistics(world.ctx);
    await world.runJob('abuse');
    return flags();
  };
  await validateFrom(0);
  expect(await detect()).toEqual([]);
  for (let network = 1; network <= 10; network++) await validateFrom(network);
  expect(await detect()).toEqual(['IP_SPREAD OPEN']);
  expect(await detect()).toEqual(['IP_SPREAD OPEN']);
  expect(world.typesTold(id).filter((type) => type === 'ABUSE_FLAGGED')).toHaveLength(1);
  expect((await validate(key)).body.valid).toBe(true);
});
