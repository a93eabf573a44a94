// Every row of the specification's table of limits, at both edges.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capabilities } from '../../src/app/capabilities.ts';
import type { HttpReply } from '../support/http-client.ts';
import { row } from './rows.ts';
import { MACHINE, openWorld, type World } from './world.ts';

let world: World;
let limited: World;
beforeAll(async () => {
  [world, limited] = await Promise.all([openWorld(), openWorld({ limits: 'on', proxyTrust: '127.0.0.1' })]);
});
afterAll(() => Promise.all([world.close(), limited.close()]));

const UNKNOWN = 'APP-0000-0000-0000-0000';
let addresses = 0;
const freshAddress = () => {
  addresses += 1;
  return { 'X-Forwarded-For': `203.0.113.${addresses}` };
};

/** Asks until it is refused: after exactly `most` admitted calls, with the three documented headers on each. */
async function expectAdmitted(most: number, windowSeconds: number, ask: (n: number) => Promise<HttpReply>) {
  for (let n = 0; n <= most; n++) {
    const { status, headers } = await ask(n);
    expect([n, status === 429]).toEqual([n, n === most]);
    expect(headers['ratelimit-limit']).toBe(String(most));
    expect(headers['ratelimit-remaining']).toBe(String(Math.max(0, most - n - 1)));
    const reset = Number(headers['ratelimit-reset']);
    expect(reset > 0 && reset <= windowSeconds).toBe(true);
  }
}

/** Sends bodies that differ in one field: each must be taken or refused as VALIDATION_ERROR on that field. */
async function expectEdges(
  send: (value: unknown) => Promise<HttpReply>,
  edges: { taken: readonly unknown[]; refused: readonly unknown[] },
): Promise<void> {
  for (const value of edges.taken) {
    const { status, body } = await send(value);
    expect([value, status, body.error]).toMatchObject([value, status < 300 ? status : 'taken', undefined]);
  }
  for (const value of edges.refused) {
    const { status, body } = await send(value);
    expect([value, status, body.error]).toMatchObject([value, 400, { code: 'VALIDATION_ERROR' }]);
  }
}

it(row('limit', 'Read API (validate, check)'), async () => {
  const address = freshAddress();
  await expectAdmitted(60, 900, (n) =>
    n % 2 === 0
      ? limited.call('validate', { licenseKey: UNKNOWN, machineId: MACHINE }, limited.key, address)
      : limited.get(`/api/v1/license/check/${UNKNOWN}`, limited.key, address),
  );
});

it(row('limit', 'Write API'), async () => {
  const { secret } = await limited.apiKey('FULL_ADMIN');
  const names = [
    'create',
    'activate',
    'deactivate',
    'revoke',
    'renew',
    'checkout',
    'checkin',
    'record-usage',
  ];
  const ask = (n: number) => limited.call(names[n % names.length] as string, {}, secret, freshAddress());
  await expectAdmitted(15, 900, ask);
});

it(row('limit', 'Heartbeat'), async () => {
  const { secret } = await limited.apiKey('FULL_ADMIN');
  await expectAdmitted(120, 60, () => limited.call('heartbeat', {}, secret, freshAddress()));
});

it(row('limit', 'Bulk create'), async () => {
  const { id } = await world.product();
  const items = (count: number) =>
    Array.from({ length: count }, () => ({ productId: id, customerEmail: 'a@x.test' }));
  await expectEdges((count) => world.call('create-bulk', { licenses: items(count as number) }), {
    taken: [1, 20],
    refused: [0, 21],
  });
});

it(row('limit', 'By-order result'), async () => {
  const { id } = await world.product();
  const item = { productId: id, customerEmail: 'a@x.test', orderId: 'large' };
  for (let n = 0; n < 6; n++) {
    await world.call('create-bulk', { licenses: Array.from({ length: n < 5 ? 20 : 1 }, () => item) });
  }
  const { body } = await world.get('/api/v1/license/by-order/large', world.key);
  expect(body.licenses).toHaveLength(100);
});

it(row('limit', 'Pagination'), async () => {
  const ask = (query: string) => world.get(`/api/v1/products?${query}`, world.key);
  expect((await ask('')).body.pagination).toMatchObject({ page: 1, limit: 50 });
  expect((await ask('limit=500')).body.pagination).toMatchObject({ limit: 500 });
  for (const query of ['limit=501', 'limit=0', 'page=0', 'page=1.5', 'limit=x']) {
    expect([query, (await ask(query)).status]).toEqual([query, 400]);
  }
});

const create = async (more: object) => {
  const { id } = await world.product();
  return world.call('create', { productId: id, customerEmail: 'a@x.test', ...more });
};

it(row('limit', 'Metadata on create'), async () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));
  await expectEdges((metadata) => create({ metadata }), {
    taken: [keys(20), { ['k'.repeat(100)]: 'v' }, { k: 'v'.repeat(1000) }, { ключ: '🔑' }],
    refused: [keys(21), { ['k'.repeat(101)]: 'v' }, { k: 'v'.repeat(1001) }, [], 'text'],
  });
  const raw = JSON.parse('{"__proto__":"own","constructor":"c"}');
  const made = await create({ metadata: raw });
  expect(made.status).toBe(201);
});

it(row('limit', 'maxActivations'), async () => {
  await expectEdges((maxActivations) => create({ maxActivations }), {
    taken: [1, 1000],
    refused: [0, 1001, 1.5, '5', -1],
  });
});

it(row('limit', 'Lease duration'), async () => {
  const { key } = await world.floating();
  await expectEdges((leaseDuration) => world.call('checkout', { key, machineId: MACHINE, leaseDuration }), {
    taken: [60, 2_592_000],
    refused: [59, 2_592_001, 60.5, '60', 0, -60],
  });
});

it(row('limit', 'Usage quantity'), async () => {
  const { key } = await world.license();
  await expectEdges((quantity) => world.call('record-usage', { key, feature: 'f', quantity }), {
    taken: [1, 10_000],
    refused: [0, -1, 1.5, '5', 10_001],
  });
});

it(row('limit', 'Feature code'), async () => {
  const { key } = await world.license();
  await expectEdges((feature) => world.call('record-usage', { key, feature }), {
    taken: ['f', 'f'.repeat(100), '🔑'.repeat(100)],
    refused: ['', 'f'.repeat(101), 5],
  });
});

it(row('limit', 'Field sizes'), async () => {
  const { key } = await world.license({ maxActivations: 1000 });
  const fields: [name: string, max: number][] = [
    ['machineName', 255],
    ['osName', 100],
    ['osVersion', 100],
    ['appVersion', 50],
  ];
  for (const [name, max] of fields) {
    const send = (value: unknown) =>
      world.call('activate', { licenseKey: key, machineId: MACHINE, [name]: value });
    await expectEdges(send, { taken: ['v'.repeat(max)], refused: ['v'.repeat(max + 1), 5] });
  }
  await expectEdges((machineId) => world.call('activate', { licenseKey: key, machineId }), {
    taken: ['m'.repeat(8), 'm'.repeat(255)],
    refused: ['m'.repeat(7), 'm'.repeat(256)],
  });
  await expectEdges((licenseKey) => world.call('activate', { licenseKey, machineId: MACHINE }), {
    taken: [],
    refused: ['K'.repeat(9), 'K'.repeat(101)],
  });
  for (const licenseKey of ['K'.repeat(10), 'K'.repeat(100)]) {
    expect((await world.call('activate', { licenseKey, machineId: MACHINE })).status).toBe(404);
  }
  await expectEdges((customerName) => create({ customerName }), {
    taken: ['n'.repeat(255)],
    refused: ['n'.repeat(256)],
  });
  await expectEdges((orderId) => create({ orderId }), {
    taken: ['o'.repeat(255)],
    refused: ['o'.repeat(256)],
  });
  await expectEdges((productId) => create({ productId }), { taken: [], refused: ['p'.repeat(31)] });
  const address = (length: number) =>
    `${'l'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(length - 187)}`;
  await expectEdges((customerEmail) => create({ customerEmail }), {
    taken: [address(240)],
    refused: [`${'l'.repeat(250)}@x.test`, 'none'],
  });
});

const everySeconds = (name: string) =>
  capabilities.flatMap((one) => one.jobs ?? []).find((job) => job.name === name)?.everySeconds;

it(row('limit', 'Stale-activation job'), () => expect(everySeconds('heartbeat-cull')).toBe(300));

it(row('limit', 'Lease-expiry job'), () => expect(everySeconds('lease-expiry')).toBe(60));

it(row('limit', 'Usage warning threshold'), async () => {
  const { id, key } = await world.license({ maxUses: 100 });
  await world.call('record-usage', { key, feature: 'f', quantity: 79 });
  expect(world.typesTold(id)).not.toContain('USAGE_WARNING');
  await world.call('record-usage', { key, feature: 'f', quantity: 1 });
  expect(world.typesTold(id)).toContain('USAGE_WARNING');
});
