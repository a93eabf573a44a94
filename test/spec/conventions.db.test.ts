// What the specification says of every request, and which values its enumerations and field tables have.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { HttpReply } from '../support/http-client.ts';
import { row } from './rows.ts';
import { MACHINE, openWorld, type World } from './world.ts';

let world: World;
let limited: World;
beforeAll(async () => {
  [world, limited] = await Promise.all([openWorld(), openWorld({ limits: 'on' })]);
});
afterAll(() => Promise.all([world.close(), limited.close()]));

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UNKNOWN = 'APP-0000-0000-0000-0000';
const create = async (more: object, app = world) => {
  const { id } = await app.product();
  return app.call('create', { productId: id, customerEmail: 'ann@x.test', ...more });
};
const refused = ({ status, body }: HttpReply) => [status, body.success, body.error?.code];
const wrong = [400, false, 'VALIDATION_ERROR'];

it(row('convention', 'bodies are JSON and responses are JSON'), async () => {
  const { key } = await world.license();
  const done = await world.call('activate', { licenseKey: key, machineId: MACHINE });
  expect(done.headers['content-type']).toMatch(/^application\/json/);
  const text = await world.send('/api/v1/license/validate', {
    method: 'POST',
    key: world.key,
    body: 'licenseKey=x',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  expect(text.status).toBeGreaterThanOrEqual(400);
  expect(text.headers['content-type']).toMatch(/^application\/json/);
});

it(row('convention', 'timestamps are ISO 8601 in UTC with milliseconds'), async () => {
  const { body } = await create({ validUntil: '2030-06-01T12:00:00+02:00' });
  expect(body.license).toMatchObject({
    validUntil: '2030-06-01T10:00:00.000Z',
    createdAt: expect.stringMatching(INSTANT),
  });
});

it(row('convention', 'success true, or success false with error code and message'), async () => {
  expect((await create({})).body.success).toBe(true);
  const { status, body } = await world.call('heartbeat', { key: UNKNOWN, machineId: MACHINE });
  expect([status, body]).toMatchObject([
    404,
    { success: false, error: { code: 'NOT_FOUND', message: expect.stringMatching(/./) } },
  ]);
});

it(row('convention', 'RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset'), async () => {
  const { key } = await limited.license();
  const { headers } = await limited.call('activate', { licenseKey: key, machineId: MACHINE });
  expect([headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual(['15', '14']);
  const reset = Number(headers['ratelimit-reset']);
  expect(reset > 0 && reset <= 900).toBe(true);
});

it(row('convention', 'all public endpoints use the prefix /api/v1/'), async () => {
  const { key } = await world.license();
  expect((await world.get(`/api/v1/license/check/${key}`, world.key)).status).toBe(200);
  expect((await world.get(`/api/license/check/${key}`, world.key)).status).toBe(404);
  expect((await world.get('/api/health')).status).toBe(200);
});

it(row('values', 'LicenseStatus'), async () => {
  const made = await world.license();
  const dated = await world.license({ validUntil: '2030-01-01T00:00:00.000Z' });
  const revoked = await world.license();
  await world.call('revoke', { licenseId: revoked.id });
  const paused = await world.license();
  await licenses.suspend(world.ctx, paused.id, { reason: 'ADMIN', note: null });
  world.clock.advance(10 * 366 * 86_400);
  const statuses = [made, dated, paused, revoked].map(({ key }) => world.statusOf(key));
  expect(await Promise.all(statuses)).toEqual(['ACTIVE', 'EXPIRED', 'SUSPENDED', 'REVOKED']);
});

it.each(
  [
    ['LicenseType', 'type', ['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA', 'FLOATING']],
    ['LicenseTier', 'tier', ['PERSONAL', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE']],
  ].map(([name, field, values]) => [row('values', String(name)), String(field), values as string[]] as const),
)('%s', async (_row, field, values) => {
  for (const value of values) {
    const { status, body } = await create({ [field]: value });
    expect([status, body.license]).toMatchObject([201, { [field]: value }]);
  }
  for (const value of [values[0]?.toLowerCase(), 'OTHER', '']) {
    expect([value, refused(await create({ [field]: value }))]).toEqual([value, wrong]);
  }
});

it(row('values', 'ProductType'), async () => {
  for (const type of ['DESKTOP', 'WEB', 'MOBILE', 'PLUGIN', 'API'] as const)
    expect(await world.product({ type })).toMatchObject({ type, status: 'ACTIVE' });
  await expect(world.product({ type: 'CONSOLE' as never })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

it(row('values', 'ProductStatus'), async () => {
  const { id } = await world.product();
  for (const status of ['DEPRECATED', 'DISCONTINUED', 'ACTIVE'] as const) {
    await products.setStatus(world.ctx, id, status);
    expect(await products.get(world.ctx, id)).toMatchObject({ status });
  }
  for (const status of ['RETIRED', 'active'])
    await expect(world.product({ status: status as never })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
});

it(row('values', 'ApiKeyScope'), async () => {
  for (const scope of ['VALIDATE_ONLY', 'CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN']) {
    const { secret } = await world.apiKey(scope);
    expect((await world.get(`/api/v1/license/check/${UNKNOWN}`, secret)).status).toBe(404);
  }
});

it(row('values', 'Release channel'), async () => {
  const { key } = await world.license();
  const check = (channel: string) =>
    world.send(`/api/v1/updates/check?current_version=1.0.0&channel=${channel}`, {
      headers: { 'X-License-Key': key },
    });
  for (const channel of ['stable', 'beta', 'alpha', 'rc', 'nightly'])
    expect([channel, (await check(channel)).body]).toMatchObject([channel, { update_available: false }]);
  for (const channel of ['Stable', 'dev']) expect(refused(await check(channel))).toEqual(wrong);
});

it(row('values', 'Heartbeat cull strategy'), async () => {
  for (const heartbeatCullStrategy of ['DEACTIVATE_DEAD', 'SUSPEND_LICENSE', 'NO_ACTION'] as const)
    expect(await world.policy({ heartbeatCullStrategy })).toMatchObject({ heartbeatCullStrategy });
  const other = { heartbeatCullStrategy: 'NO_ACTIONS' as never };
  await expect(world.policy(other)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

it(row('fields', 'LicensePublic'), async () => {
  const { id } = await world.product({ name: 'Editor' });
  const { key } = await world.license({ productId: id, features: { export: true } });
  const { body } = await world.call('activate', { licenseKey: key, machineId: MACHINE });
  expect(body.license).toMatchObject({
    key,
    product: 'Editor',
    tier: 'PERSONAL',
    type: 'PERPETUAL',
    validUntil: null,
    activationsUsed: 1,
    maxActivations: 1,
    features: { export: true },
  });
});

it(row('fields', 'LicenseCreated'), async () => {
  const { body } = await create({ orderId: 'order-of-fields' });
  const license = body.license as unknown as { id: string };
  const fields = [
    'id',
    'key',
    'productId',
    'type',
    'tier',
    'status',
    'maxActivations',
    'validUntil',
    'createdAt',
  ];
  expect(Object.keys(license)).toEqual(expect.arrayContaining(fields));
  const found = await world.get('/api/v1/license/by-order/order-of-fields', world.key);
  expect(found.body.licenses).toEqual([license]);
  const renewed = await world.call('renew', {
    licenseId: license.id,
    validUntil: '2040-01-01T00:00:00.000Z',
  });
  expect(renewed.body.license).toEqual({ ...license, validUntil: '2040-01-01T00:00:00.000Z' });
});

it(row('fields', 'Activation'), async () => {
  const { key } = await world.license();
  const { body } = await world.call('activate', { licenseKey: key, machineId: MACHINE, machineName: 'Desk' });
  expect(body.activation).toMatchObject({
    machineId: MACHINE,
    machineName: 'Desk',
    activatedAt: expect.stringMatching(INSTANT),
  });
  const seat = await world.floating();
  const { body: held } = await world.call('checkout', { key: seat.key, machineId: MACHINE });
  expect(held.activation).toMatchObject({
    id: expect.stringMatching(/./),
    machineId: MACHINE,
    leaseExpiresAt: expect.stringMatching(INSTANT),
  });
});
