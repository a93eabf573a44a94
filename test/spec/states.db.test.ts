// Every row of the specification's tables of states: license, product, activation, lease.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { row } from './rows.ts';
import { MACHINE, OTHER_MACHINE, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const DAY = 86_400;
const inSeconds = (seconds: number) => new Date(world.clock.epochMs() + seconds * 1000).toISOString();
const dated = (seconds: number) => world.license({ type: 'SUBSCRIPTION', validUntil: inSeconds(seconds) });
const activate = (licenseKey: string, machineId = MACHINE) =>
  world.call('activate', { licenseKey, machineId });
const checkout = (key: string, machineId = MACHINE) =>
  world.call('checkout', { key, machineId, leaseDuration: 60 });
const isValid = async (licenseKey: string, machineId = MACHINE) =>
  (await world.call('validate', { licenseKey, machineId })).body.valid;

it(row('state', 'license: none, create -> ACTIVE'), async () => {
  const { id } = await world.product();
  const reply = await world.call('create', { productId: id, customerEmail: 'ann@x.test' });
  const license = reply.body.license as unknown as { id: string; status: string };
  expect(license.status).toBe('ACTIVE');
  expect(world.typesTold(license.id)).toEqual(['LICENSE_CREATED']);
});

it(row('state', 'license: ACTIVE, expiration date reached -> EXPIRED'), async () => {
  const { id, key } = await dated(60);
  expect(await world.statusOf(key)).toBe('ACTIVE');
  world.clock.advance(60);
  expect(await world.statusOf(key)).toBe('EXPIRED');
  await world.runJob('license-expiry');
  await world.runJob('license-expiry');
  expect(world.typesTold(id).filter((type) => type === 'LICENSE_EXPIRED')).toHaveLength(1);
  expect((await licenses.get(world.ctx, id)).storedStatus).toBe('EXPIRED');
});

it(row('state', 'license: EXPIRED, renew -> ACTIVE'), async () => {
  const { id, key } = await dated(-DAY);
  const validUntil = inSeconds(DAY);
  const reply = await world.call('renew', { licenseId: id, validUntil });
  expect(reply.body.license).toMatchObject({ status: 'ACTIVE', validUntil });
  expect(await world.statusOf(key)).toBe('ACTIVE');
  expect(world.typesTold(id)).toContain('LICENSE_RENEWED');
});

it(row('state', 'license: ACTIVE, renew -> ACTIVE'), async () => {
  const { id } = await dated(DAY);
  const validUntil = inSeconds(2 * DAY);
  const reply = await world.call('renew', { licenseId: id, validUntil });
  expect(reply.body.license).toMatchObject({ status: 'ACTIVE', validUntil });
});

it(row('state', 'license: ACTIVE, EXPIRED or SUSPENDED, revoke -> REVOKED'), async () => {
  const [active, expired, suspended] = [await world.license(), await dated(60), await world.license()];
  for (const { key } of [active, expired, suspended]) await activate(key);
  world.clock.advance(60);
  await licenses.suspend(world.ctx, suspended.id, { reason: 'ADMIN', note: null });
  for (const { id, key } of [active, expired, suspended]) {
    expect((await world.call('revoke', { licenseId: id })).body.license).toMatchObject({ status: 'REVOKED' });
    expect(await world.statusOf(key)).toBe('REVOKED');
    expect(await licenses.listActivations(world.ctx, id)).toEqual([]);
    expect(world.typesTold(id).at(-2)).toBe('LICENSE_REVOKED');
  }
});

it(row('state', 'license: ACTIVE, heartbeat cull with SUSPEND_LICENSE -> SUSPENDED'), async () => {
  const { id, key } = await world.underPolicy({
    heartbeatInterval: 1,
    heartbeatCullStrategy: 'SUSPEND_LICENSE',
  });
  await activate(key);
  world.clock.advance(61);
  await world.runJob('heartbeat-cull');
  expect(await world.statusOf(key)).toBe('SUSPENDED');
  const before = await activate(key, OTHER_MACHINE);
  expect(before.status).toBe(400);
  await licenses.reinstate(world.ctx, id);
  expect(await world.statusOf(key)).toBe('ACTIVE');
});

it(row('state', 'license: REVOKED, renew -> REVOKED'), async () => {
  const { id, key } = await world.license();
  await world.call('revoke', { licenseId: id });
  expect((await world.call('renew', { licenseId: id, validUntil: inSeconds(DAY) })).status).toBe(400);
  expect(await world.statusOf(key)).toBe('REVOKED');
});

it(row('state', 'license: activation is refused when EXPIRED, SUSPENDED or REVOKED'), async () => {
  const [expired, suspended, revoked] = [await dated(-1), await world.license(), await world.license()];
  await licenses.suspend(world.ctx, suspended.id, { reason: 'ADMIN', note: null });
  await licenses.revoke(world.ctx, { licenseId: revoked.id }, null);
  for (const { id, key } of [expired, suspended, revoked]) {
    const reply = await activate(key);
    expect([reply.status, reply.body.error]).toMatchObject([400, { code: 'ACTIVATION_FAILED' }]);
    expect(await licenses.listActivations(world.ctx, id)).toEqual([]);
  }
});

it(row('state', 'product: ACTIVE, DEPRECATED, DISCONTINUED; only active ones are listed'), async () => {
  const product = await world.product();
  const listed = async () => {
    const { body } = await world.get('/api/v1/products?limit=500', world.key);
    return (body.products as unknown as { id: string }[]).some(({ id }) => id === product.id);
  };
  for (const [status, isListed] of [
    ['ACTIVE', true],
    ['DEPRECATED', false],
    ['DISCONTINUED', false],
    ['ACTIVE', true],
  ] as const) {
    await products.setStatus(world.ctx, product.id, status);
    expect([status, await listed()]).toEqual([status, isListed]);
  }
});

it(row('state', 'activation: none, activate -> activated'), async () => {
  const { id, key } = await world.license();
  const reply = await activate(key);
  expect(reply.body.license).toMatchObject({ activationsUsed: 1 });
  expect(world.typesTold(id)).toEqual(['LICENSE_CREATED', 'LICENSE_ACTIVATED']);
});

it(row('state', 'activation: activated, activate of the same machine -> activated'), async () => {
  const { id, key } = await world.license();
  const first = await activate(key);
  const again = await activate(key);
  expect([again.status, again.body.activation]).toEqual([200, first.body.activation]);
  expect(again.body.license).toMatchObject({ activationsUsed: 1 });
  expect(world.typesTold(id).filter((type) => type === 'LICENSE_ACTIVATED')).toHaveLength(1);
});

it(row('state', 'activation: none, activate with all slots used -> none'), async () => {
  const { id, key } = await world.license({ maxActivations: 1 });
  await activate(key);
  const reply = await activate(key, OTHER_MACHINE);
  expect([reply.status, reply.body.error]).toMatchObject([400, { code: 'ACTIVATION_FAILED' }]);
  expect(world.typesTold(id).at(-1)).toBe('ACTIVATION_LIMIT_REACHED');
  expect(await licenses.listActivations(world.ctx, id)).toHaveLength(1);
});

it(row('state', 'activation: activated, deactivate -> none'), async () => {
  const { id, key } = await world.license();
  await activate(key);
  expect((await world.call('deactivate', { licenseKey: key, machineId: MACHINE })).status).toBe(200);
  expect(await licenses.listActivations(world.ctx, id)).toEqual([]);
  expect(world.typesTold(id).at(-1)).toBe('LICENSE_DEACTIVATED');
});

it(row('state', 'activation: activated, heartbeat cull with DEACTIVATE_DEAD -> none'), async () => {
  const { id, key } = await world.underPolicy({
    heartbeatInterval: 1,
    heartbeatCullStrategy: 'DEACTIVATE_DEAD',
  });
  await activate(key);
  world.clock.advance(61);
  await world.runJob('heartbeat-cull');
  expect(await licenses.listActivations(world.ctx, id)).toEqual([]);
  expect(world.typesTold(id).at(-1)).toBe('HEARTBEAT_MISSED');
});

it(row('state', 'activation: activated, revoke of the license -> none'), async () => {
  const { id, key } = await world.license();
  await activate(key);
  await world.call('revoke', { licenseKey: key });
  expect(await isValid(key)).toBe(false);
  expect(await licenses.listActivations(world.ctx, id)).toEqual([]);
});

it(row('state', 'lease: none, checkout -> checked out'), async () => {
  const { id, key } = await world.floating(1);
  expect((await checkout(key)).status).toBe(200);
  expect(await isValid(key)).toBe(true);
  expect(world.typesTold(id)).toContain('SEAT_CHECKED_OUT');
});

it(row('state', 'lease: checked out, checkout of the same machine -> checked out'), async () => {
  const { key } = await world.floating(1);
  const first = (await checkout(key)).body.activation as unknown as { id: string; leaseExpiresAt: string };
  world.clock.advance(30);
  const again = (await checkout(key)).body.activation as unknown as typeof first;
  expect(again.id).toBe(first.id);
  expect(Date.parse(again.leaseExpiresAt) - Date.parse(first.leaseExpiresAt)).toBe(30_000);
});

it(row('state', 'lease: checked out, checkin -> none'), async () => {
  const { id, key } = await world.floating(1);
  await checkout(key);
  expect((await world.call('checkin', { key, machineId: MACHINE })).body.seatsAvailable).toBe(1);
  expect(world.typesTold(id).at(-1)).toBe('SEAT_CHECKED_IN');
  expect((await checkout(key, OTHER_MACHINE)).status).toBe(200);
});

it(row('state', 'lease: checked out, lease expires -> none'), async () => {
  const { id, key } = await world.floating(2);
  await checkout(key);
  await checkout(key, OTHER_MACHINE);
  world.clock.advance(60);
  await world.runJob('lease-expiry');
  await world.runJob('lease-expiry');
  expect(world.typesTold(id).filter((type) => type === 'LEASE_EXPIRED')).toHaveLength(2);
  expect(await licenses.listActivations(world.ctx, id)).toEqual([]);
});

it(row('state', 'lease: none, checkout with all seats used -> none'), async () => {
  const { key } = await world.floating(1);
  await checkout(key);
  const reply = await checkout(key, OTHER_MACHINE);
  expect([reply.status, reply.body.error]).toMatchObject([400, { code: 'SEAT_LIMIT_REACHED' }]);
});
