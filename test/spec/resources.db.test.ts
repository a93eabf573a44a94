// What the specification says of the resources that have no table of fields: keys, machines, customers, policies.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { row } from './rows.ts';
import { MACHINE, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** As a caller of create gets it. */
async function bought(more: object = {}): Promise<{ id: string; key: string }> {
  const { id } = await world.product();
  const { body } = await world.call('create', { productId: id, customerEmail: 'ann@x.test', ...more });
  return body.license as unknown as { id: string; key: string };
}

it(row('fields', 'License key'), async () => {
  const { id, key } = await bought();
  expect(key).toMatch(/^[A-Z0-9]+(-[A-Z0-9]{4}){2,}$/);
  expect(key.length >= 10 && key.length <= 100).toBe(true);
  const [event] = world.told(id);
  const prefix = String(event?.data.licenseKeyPrefix);
  expect(key.startsWith(prefix) && prefix.length < key.length).toBe(true);
  expect(JSON.stringify(event)).not.toContain(key);
});

it(row('fields', 'machineId'), async () => {
  const { key } = await world.license();
  const account = 'https://app.example.com/accounts/42';
  for (const machineId of [account, account]) {
    const { body } = await world.call('activate', { licenseKey: key, machineId });
    expect([body.activation, body.license]).toMatchObject([{ machineId }, { activationsUsed: 1 }]);
  }
  const other = await world.call('validate', { licenseKey: key, machineId: `${account}3` });
  expect(other.body.valid).toBe(false);
});

it(row('fields', 'Further license attributes'), async () => {
  const features = { export: true, seats: 5 };
  const { id, key } = await world.license({ features, maxVersion: '2', maxUses: 10 });
  await world.call('record-usage', { key, feature: 'export', quantity: 4 });
  const stored = await licenses.get(world.ctx, id);
  expect(stored).toMatchObject({ features, maxVersion: '2', maxUses: 10, currentUses: 4 });
  const check = async (typed: string) => (await world.get(`/api/v1/license/check/${typed}`, world.key)).body;
  expect(await check(key)).toMatchObject({ features, maxVersion: '2' });
  const plain = await bought({ orderId: 'order-7', metadata: { campaign: 'spring' } });
  expect(await licenses.get(world.ctx, plain.id)).toMatchObject({
    orderId: 'order-7',
    metadata: { campaign: 'spring' },
    maxUses: null,
    currentUses: 0,
  });
  expect(await check(plain.key)).toMatchObject({ features: null, maxVersion: null });
});

it(row('fields', 'lastSeenAt of an activation'), async () => {
  const { id, key } = await world.license();
  await world.call('activate', { licenseKey: key, machineId: MACHINE });
  const seen = async () => (await licenses.listActivations(world.ctx, id))[0]?.lastSeenAt;
  expect(await seen()).toBe(world.ctx.now());
  world.clock.advance(90);
  await world.call('heartbeat', { key, machineId: MACHINE });
  expect(await seen()).toBe(world.ctx.now());
});

it(row('fields', 'Customer'), async () => {
  const { id } = await bought({ customerEmail: 'Dora@X.test', customerName: 'Dora' });
  const customer = await customers.get(world.ctx, 'dora@x.test');
  expect(customer).toMatchObject({ email: 'Dora@X.test', name: 'Dora' });
  const [event] = world.told(id);
  expect(event?.data.customerId).toBe(customer.id);
  expect(JSON.stringify(event?.data)).not.toMatch(/dora@/i);
});

it(row('fields', 'Policy'), async () => {
  const rules = {
    heartbeatInterval: 7,
    heartbeatCullStrategy: 'DEACTIVATE_DEAD',
    defaultLeaseDuration: 600,
    entitlements: { export: true },
  } as const;
  const policy = await world.policy(rules);
  expect(policy).toMatchObject(rules);
  const { id: productId } = await world.product({ policyId: policy.id, defaultLicenseType: 'FLOATING' });
  const { key } = await world.license({ productId });
  const { body } = await world.call('checkout', { key, machineId: MACHINE });
  const in10Minutes = new Date(world.clock.epochMs() + 600_000).toISOString();
  expect(body.activation).toMatchObject({ leaseExpiresAt: in10Minutes });
  const asked = await world.call('validate-entitlement', { key, entitlement: 'export' });
  expect(asked.body).toMatchObject({ valid: true, entitled: true });
});

it(row('fields', 'Product'), async () => {
  const fields = {
    name: 'Reader',
    slug: 'reader-of-fields',
    type: 'MOBILE',
    licensingMode: 'HONOR_SYSTEM',
    defaultLicenseType: 'TRIAL',
    defaultMaxActivations: 3,
  } as const;
  const { id } = await world.product(fields);
  const { body } = await world.get('/api/v1/products?limit=500', world.key);
  expect(body.products).toContainEqual(expect.objectContaining({ id, status: 'ACTIVE', ...fields }));
  const validUntil = '2030-01-01T00:00:00.000Z';
  const made = await world.call('create', { productId: id, customerEmail: 'ann@x.test', validUntil });
  expect(made.body.license).toMatchObject({ type: 'TRIAL', maxActivations: 3 });
});
