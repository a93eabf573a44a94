// Every row of the specification's table of events: what causes it, that it comes once, and the fields of its payload.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as abuse from '#licensing/insight/abuse/index.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import { eventually } from '../support/server-process.ts';
import { row } from './rows.ts';
import { MACHINE, OTHER_MACHINE, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  world.heard.length = 0;
});

const DAY = 86_400;
const inSeconds = (seconds: number) => new Date(world.clock.epochMs() + seconds * 1000).toISOString();
const activate = (licenseKey: string, machineId = MACHINE) =>
  world.call('activate', { licenseKey, machineId, machineName: 'Desk' });
const detailsOf = (subject: string, type: string) =>
  world
    .told(subject)
    .filter((event) => event.type === type)
    .map(({ data }) => data.details);

/** Runs what causes it and says what was told of the license meanwhile. */
async function told(id: string, work: () => Promise<unknown>): Promise<string[]> {
  world.heard.length = 0;
  await work();
  return world.typesTold(id);
}

it(row('event', 'LICENSE_CREATED'), async () => {
  const { id: productId } = await world.product();
  const single = await world.call('create', { productId, customerEmail: 'ann@x.test' });
  const bulk = await world.call('create-bulk', { licenses: [{ productId, customerEmail: 'bob@x.test' }] });
  const ids = [single.body.license, (bulk.body.results as unknown as { license: unknown }[])[0]?.license];
  for (const { id } of ids as { id: string }[]) expect(world.typesTold(id)).toEqual(['LICENSE_CREATED']);
});

it(row('event', 'LICENSE_ACTIVATED'), async () => {
  const { id, key } = await world.license();
  expect(await told(id, () => activate(key))).toEqual(['LICENSE_ACTIVATED']);
  expect(detailsOf(id, 'LICENSE_ACTIVATED')).toEqual([{ machineId: MACHINE, machineName: 'Desk' }]);
});

it(row('event', 'LICENSE_DEACTIVATED'), async () => {
  const { id, key } = await world.license();
  await activate(key);
  const work = () => world.call('deactivate', { licenseKey: key, machineId: MACHINE });
  expect(await told(id, work)).toEqual(['LICENSE_DEACTIVATED']);
});

it(row('event', 'LICENSE_VALIDATED'), async () => {
  const { id, key } = await world.license();
  await activate(key);
  const work = () => world.call('validate', { licenseKey: key, machineId: MACHINE });
  expect(await told(id, work)).toEqual(['LICENSE_VALIDATED']);
});

it(row('event', 'VALIDATION_FAILED'), async () => {
  const { id, key } = await world.license();
  const work = () => world.call('validate', { licenseKey: key, machineId: MACHINE });
  expect(await told(id, work)).toEqual(['VALIDATION_FAILED']);
});

it(row('event', 'LICENSE_EXPIRED'), async () => {
  const { id } = await world.license({ type: 'SUBSCRIPTION', validUntil: inSeconds(60) });
  world.clock.advance(60);
  const work = async () => {
    await world.runJob('license-expiry');
    await world.runJob('license-expiry');
  };
  expect(await told(id, work)).toEqual(['LICENSE_EXPIRED']);
});

it(row('event', 'LICENSE_RENEWED'), async () => {
  const { id } = await world.license({ type: 'SUBSCRIPTION', validUntil: inSeconds(60) });
  const work = () => world.call('renew', { licenseId: id, validUntil: inSeconds(DAY) });
  expect(await told(id, work)).toEqual(['LICENSE_RENEWED']);
});

it(row('event', 'LICENSE_SUSPENDED'), async () => {
  const { id } = await world.license();
  const work = async () => {
    for (let n = 0; n < 2; n++) await licenses.suspend(world.ctx, id, { reason: 'ADMIN', note: 'late' });
  };
  expect(await told(id, work)).toEqual(['LICENSE_SUSPENDED']);
});

it(row('event', 'LICENSE_REVOKED'), async () => {
  const { id, key } = await world.license();
  await activate(key);
  expect(await told(id, () => world.call('revoke', { licenseId: id, reason: 'fraud' }))).toEqual([
    'LICENSE_REVOKED',
  ]);
  expect(detailsOf(id, 'LICENSE_REVOKED')).toEqual([{ reason: 'fraud', deactivatedMachineIds: [MACHINE] }]);
});

it(row('event', 'LICENSE_DELETED'), async () => {
  const { id, key } = await world.license();
  await activate(key);
  expect(await told(id, () => licenses.trash(world.ctx, id, 'test'))).toEqual(['LICENSE_DELETED']);
  expect(detailsOf(id, 'LICENSE_DELETED')).toEqual([{ reason: 'test', deactivatedMachineIds: [MACHINE] }]);
});

it(row('event', 'ACTIVATION_LIMIT_REACHED'), async () => {
  const { id, key } = await world.license({ maxActivations: 1 });
  await activate(key);
  expect(await told(id, () => activate(key, OTHER_MACHINE))).toEqual(['ACTIVATION_LIMIT_REACHED']);
});

it(row('event', 'ABUSE_FLAGGED'), async () => {
  const { id } = await world.license();
  expect(await told(id, () => abuse.flag(world.ctx, id, 'shared in a forum'))).toEqual(['ABUSE_FLAGGED']);
});

it(row('event', 'ABUSE_CLEARED'), async () => {
  const { id } = await world.license();
  const flag = await abuse.flag(world.ctx, id, 'shared in a forum');
  expect(await told(id, () => abuse.clear(world.ctx, flag.id, 'a mistake'))).toEqual(['ABUSE_CLEARED']);
});

it(row('event', 'KEY_REPLACED'), async () => {
  const { id } = await world.license();
  expect(await told(id, () => licenses.replaceKey(world.ctx, id, { reason: 'leaked' }))).toEqual([
    'KEY_REPLACED',
  ]);
});

it(row('event', 'HONEYPOT_TRIGGERED'), async () => {
  const { id: productId } = await world.product();
  const { honeypot, key } = await honeypots.create(world.ctx, { productId, label: 'canary' });
  world.heard.length = 0;
  for (let n = 0; n < 3; n++) await world.call('validate', { licenseKey: key, machineId: MACHINE });
  await eventually(async () => world.typesTold(honeypot.id).length > 0);
  expect(world.typesTold(honeypot.id)).toEqual(['HONEYPOT_TRIGGERED']);
});

it(row('event', 'HEARTBEAT_MISSED'), async () => {
  const { id, key } = await world.underPolicy({ heartbeatInterval: 1, heartbeatCullStrategy: 'NO_ACTION' });
  await activate(key);
  world.clock.advance(61);
  const work = async () => {
    await world.runJob('heartbeat-cull');
    await world.runJob('heartbeat-cull');
  };
  expect(await told(id, work)).toEqual(['HEARTBEAT_MISSED']);
  expect(detailsOf(id, 'HEARTBEAT_MISSED')).toMatchObject([
    { machineId: MACHINE, machineName: 'Desk', strategy: 'NO_ACTION', customerEmail: 'ann@x.test' },
  ]);
});

it(row('event', 'SEAT_CHECKED_OUT'), async () => {
  const { id, key } = await world.floating(1);
  const work = () => world.call('checkout', { key, machineId: MACHINE });
  expect(await told(id, work)).toEqual(['SEAT_CHECKED_OUT']);
});

it(row('event', 'SEAT_CHECKED_IN'), async () => {
  const { id, key } = await world.floating(1);
  await world.call('checkout', { key, machineId: MACHINE });
  expect(await told(id, () => world.call('checkin', { key, machineId: MACHINE }))).toEqual([
    'SEAT_CHECKED_IN',
  ]);
});

it(row('event', 'LEASE_EXPIRED'), async () => {
  const { id, key } = await world.floating(2);
  for (const machineId of [MACHINE, OTHER_MACHINE]) {
    await world.call('checkout', { key, machineId, leaseDuration: 60 });
  }
  world.clock.advance(60);
  expect(await told(id, () => world.runJob('lease-expiry'))).toEqual(['LEASE_EXPIRED', 'LEASE_EXPIRED']);
});

describe('usage', () => {
  const record = (key: string, quantity: number) =>
    world.call('record-usage', { key, feature: 'render', quantity });

  it(row('event', 'USAGE_RECORDED'), async () => {
    const { id, key } = await world.license();
    expect(await told(id, () => record(key, 3))).toEqual(['USAGE_RECORDED']);
    expect(detailsOf(id, 'USAGE_RECORDED')).toMatchObject([{ feature: 'render', quantity: 3 }]);
  });

  it(row('event', 'USAGE_WARNING'), async () => {
    const { id, key } = await world.license({ maxUses: 10 });
    expect(await told(id, () => record(key, 7))).toEqual(['USAGE_RECORDED']);
    expect(await told(id, () => record(key, 1))).toEqual(['USAGE_RECORDED', 'USAGE_WARNING']);
    expect(await told(id, () => record(key, 1))).toEqual(['USAGE_RECORDED']);
  });

  it(row('event', 'USAGE_EXHAUSTED'), async () => {
    const { id, key } = await world.license({ maxUses: 10 });
    await record(key, 9);
    expect(await told(id, () => record(key, 1))).toEqual(['USAGE_RECORDED', 'USAGE_EXHAUSTED']);
    expect(await told(id, () => record(key, 1))).toEqual([]);
  });

  it(row('event', 'USAGE_RESET'), async () => {
    const { id, key } = await world.license({ maxUses: 10 });
    await record(key, 9);
    expect(await told(id, () => usage.reset(world.ctx, id))).toEqual(['USAGE_RESET']);
  });
});

describe('the payload', () => {
  it.each(
    [
      ['data.licenseId', (id: string) => ({ licenseId: id })],
      ['data.licenseKeyPrefix', (_id: string, key: string) => ({ licenseKeyPrefix: key.slice(0, 8) })],
      ['data.customerId', () => ({ customerId: expect.stringMatching(/^cus_/) })],
      ['data.status', () => ({ status: 'ACTIVE' })],
      ['data.product', () => ({ product: { name: expect.any(String), slug: expect.any(String) } })],
      ['data.machineIds', () => ({ machineIds: [MACHINE] })],
      ['data.details', () => ({ details: { machineId: MACHINE, machineName: 'Desk' } })],
    ].map(([field, expected]) => [row('payload', field as string), expected] as const),
  )('%s', async (_name, expected) => {
    const { id, key } = await world.license();
    await told(id, () => activate(key));
    const make = expected as (id: string, key: string) => object;
    expect(world.told(id)[0]?.data).toMatchObject(make(id, key));
    const text = JSON.stringify(world.told(id));
    expect(text).not.toContain(key);
    expect(text).not.toContain('ann@x.test');
  });
});
