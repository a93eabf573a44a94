// Every row of the specification's table of endpoints: the documented request succeeds with the documented fields.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { row } from './rows.ts';
import { MACHINE, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const licensePublic = (key: string) => ({
  key,
  product: expect.any(String),
  tier: 'PERSONAL',
  type: expect.any(String),
  validUntil: null,
  activationsUsed: expect.any(Number),
  maxActivations: expect.any(Number),
});
const licenseCreated = {
  id: expect.stringMatching(/^lic_/),
  key: expect.stringMatching(/^[A-Z0-9]+(-[A-Z0-9]{4})+$/),
  productId: expect.stringMatching(/^prd_/),
  type: expect.any(String),
  tier: 'PERSONAL',
  status: expect.stringMatching(/^(ACTIVE|REVOKED)$/),
  maxActivations: expect.any(Number),
  createdAt: at,
};

it(row('endpoint', 'POST /api/v1/license/activate'), async () => {
  const { key } = await world.license();
  const body = {
    licenseKey: key,
    machineId: MACHINE,
    machineName: 'Desk',
    osName: 'Linux',
    osVersion: '6.12',
    appVersion: '1.0.0',
  };
  const first = await world.call('activate', body);
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({
    success: true,
    message: expect.any(String),
    license: { ...licensePublic(key), activationsUsed: 1 },
    activation: { machineId: MACHINE, machineName: 'Desk', activatedAt: at },
  });
  world.clock.advance(60);
  const again = await world.call('activate', { ...body, machineName: 'Renamed' });
  expect(again.body.activation).toEqual(first.body.activation);
});

it(row('endpoint', 'POST /api/v1/license/validate'), async () => {
  const { key } = await world.license();
  await world.call('activate', { licenseKey: key, machineId: MACHINE });
  const { result, changes } = await world.changesBy(() =>
    world.call('validate', { licenseKey: key, machineId: MACHINE, appVersion: '1.0' }),
  );
  expect([result.status, result.body]).toMatchObject([
    200,
    {
      success: true,
      valid: true,
      status: 'ACTIVE',
      message: expect.any(String),
      license: licensePublic(key),
      activation: { machineId: MACHINE, activatedAt: at },
    },
  ]);
  expect(changes.events).toEqual([]);
  expect(changes.rows).toEqual({});
  const invalid = await world.call('validate', { licenseKey: key, machineId: 'machine-none' });
  expect([invalid.status, invalid.body.valid]).toEqual([200, false]);
});

it(row('endpoint', 'POST /api/v1/license/deactivate'), async () => {
  const { key } = await world.license();
  await world.call('activate', { licenseKey: key, machineId: MACHINE });
  const reply = await world.call('deactivate', { licenseKey: key, machineId: MACHINE });
  expect([reply.status, reply.body]).toEqual([200, { success: true, message: expect.any(String) }]);
});

it(row('endpoint', 'GET /api/v1/license/check/{key}'), async () => {
  const { key } = await world.license({ maxVersion: '2', features: { sso: true } });
  const reply = await world.get(`/api/v1/license/check/${key}`, world.key);
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      success: true,
      status: 'ACTIVE',
      type: 'PERPETUAL',
      tier: 'PERSONAL',
      maxVersion: '2',
      features: { sso: true },
      licensingMode: 'STANDARD',
    },
  ]);
  expect((await world.get('/api/v1/license/check/APP-0000-0000-0000-0000', world.key)).status).toBe(404);
});

it(row('endpoint', 'POST /api/v1/license/heartbeat'), async () => {
  const { key } = await world.underPolicy({ heartbeatInterval: 10 });
  await world.call('activate', { licenseKey: key, machineId: MACHINE });
  const reply = await world.call('heartbeat', { key, machineId: MACHINE });
  const next = new Date(world.clock.epochMs() + 600_000).toISOString();
  expect([reply.status, reply.body]).toEqual([200, { success: true, nextHeartbeatAt: next }]);
  const without = await world.license();
  await world.call('activate', { licenseKey: without.key, machineId: MACHINE });
  const omitted = await world.call('heartbeat', { key: without.key, machineId: MACHINE });
  expect([omitted.status, omitted.body]).toEqual([200, { success: true }]);
});

it(row('endpoint', 'POST /api/v1/license/checkout'), async () => {
  const { key } = await world.floating(3);
  const body = {
    key,
    machineId: MACHINE,
    machineName: 'Desk',
    leaseDuration: 120,
    metadata: { user: 'ann' },
  };
  const reply = await world.call('checkout', body);
  expect([reply.status, reply.body]).toMatchObject([
    200,
    {
      success: true,
      message: expect.any(String),
      activation: {
        id: expect.stringMatching(/^act_/),
        machineId: MACHINE,
        leaseExpiresAt: new Date(world.clock.epochMs() + 120_000).toISOString(),
      },
      seatsUsed: 1,
      seatsTotal: 3,
      seatsAvailable: 2,
    },
  ]);
});

it(row('endpoint', 'POST /api/v1/license/checkin'), async () => {
  const { key } = await world.floating(3);
  await world.call('checkout', { key, machineId: MACHINE });
  const reply = await world.call('checkin', { key, machineId: MACHINE });
  expect([reply.status, reply.body]).toMatchObject([200, { success: true, seatsAvailable: 3 }]);
});

it(row('endpoint', 'POST /api/v1/license/record-usage'), async () => {
  const { key } = await world.license({ maxUses: 10 });
  const reply = await world.call('record-usage', {
    key,
    feature: 'render',
    quantity: 4,
    metadata: { job: '1' },
  });
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      success: true,
      message: expect.any(String),
      usage: { current: 4, max: 10, remaining: 6, percentUsed: 40 },
    },
  ]);
  const unlimited = await world.license();
  const tracked = await world.call('record-usage', { key: unlimited.key, feature: 'render' });
  expect(tracked.body.usage).toEqual({ current: 1, max: null });
});

it(row('endpoint', 'POST /api/v1/license/validate-entitlement'), async () => {
  const { key } = await world.underPolicy(
    { entitlements: { seats: 5 } },
    { features: { sso: true, off: false } },
  );
  const ask = async (entitlement: string) =>
    (await world.call('validate-entitlement', { key, entitlement })).body;
  expect(await ask('seats')).toEqual({ success: true, valid: true, entitled: true, value: 5 });
  expect(await ask('sso')).toMatchObject({ entitled: true, value: true });
  expect(await ask('off')).toMatchObject({ entitled: false });
  expect(await ask('none')).toEqual({ success: true, valid: true, entitled: false, value: null });
});

it(row('endpoint', 'POST /api/v1/license/create'), async () => {
  const { id } = await world.product();
  const body = {
    productId: id,
    customerEmail: 'ann@x.test',
    customerName: 'Ann',
    orderId: 'o-1',
    metadata: { a: '1' },
  };
  const headers = { 'X-Idempotency-Key': 'spec-create' };
  const first = await world.call('create', body, world.key, headers);
  expect([first.status, first.body]).toMatchObject([201, { success: true, license: licenseCreated }]);
  const again = await world.call('create', body, world.key, headers);
  expect([again.status, again.body]).toEqual([200, { ...first.body, idempotent: true }]);
});

it(row('endpoint', 'POST /api/v1/license/create-bulk'), async () => {
  const { id } = await world.product();
  const good = { productId: id, customerEmail: 'ann@x.test' };
  const all = await world.call('create-bulk', { licenses: [good, good] });
  expect([all.status, all.body.results]).toMatchObject([
    201,
    [
      { success: true, license: licenseCreated },
      { success: true, license: licenseCreated },
    ],
  ]);
  const some = await world.call('create-bulk', { licenses: [{ ...good, productId: 'prd_none' }, good] });
  expect([some.status, some.body.results]).toMatchObject([
    207,
    [
      { success: false, error: { code: 'NOT_FOUND' } },
      { success: true, license: licenseCreated },
    ],
  ]);
});

it(row('endpoint', 'GET /api/v1/license/by-order/{orderId}'), async () => {
  const { id } = await world.license({ orderId: 'order 1/ä' });
  const reply = await world.get(`/api/v1/license/by-order/${encodeURIComponent('order 1/ä')}`, world.key);
  expect([reply.status, reply.body]).toMatchObject([
    200,
    { success: true, licenses: [{ ...licenseCreated, id }] },
  ]);
  expect((await world.get('/api/v1/license/by-order/none', world.key)).body.licenses).toEqual([]);
});

it(row('endpoint', 'POST /api/v1/license/revoke'), async () => {
  const [one, two] = [await world.license(), await world.license()];
  const byId = await world.call('revoke', { licenseId: one.id, reason: 'chargeback' });
  const byKey = await world.call('revoke', { licenseKey: two.key });
  for (const reply of [byId, byKey]) {
    expect([reply.status, reply.body.license]).toMatchObject([200, { ...licenseCreated, status: 'REVOKED' }]);
  }
});

it(row('endpoint', 'POST /api/v1/license/renew'), async () => {
  const { id } = await world.license({ type: 'SUBSCRIPTION', validUntil: '2026-04-01T00:00:00.000Z' });
  const reply = await world.call('renew', { licenseId: id, validUntil: '2027-04-01T02:00:00+02:00' });
  expect([reply.status, reply.body.license]).toMatchObject([
    200,
    { ...licenseCreated, validUntil: '2027-04-01T00:00:00.000Z' },
  ]);
});

it(row('endpoint', 'GET /api/v1/products'), async () => {
  const product = await world.product({ name: 'Spec product' });
  const reply = await world.get('/api/v1/products?limit=500', world.key);
  expect(reply.status).toBe(200);
  expect(reply.body.products).toContainEqual(expect.objectContaining({ id: product.id, slug: product.slug }));
});

it(row('endpoint', 'GET /api/health'), async () => {
  const reply = await world.get('/api/health');
  expect([reply.status, reply.body]).toMatchObject([
    200,
    { status: 'ok', timestamp: at, version: expect.any(String) },
  ]);
});
