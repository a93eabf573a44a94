// Requests that arrive together at one server: what must happen once happens once (M3, M5; A191).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let keys: string[];
beforeAll(async () => {
  app = await startApp();
  keys = [(await app.apiKey('FULL_ADMIN')).secret, (await app.apiKey('CREATE_LICENSE')).secret];
});
afterAll(() => app.close());

const together = async (count: number, send: (index: number) => ReturnType<TestApp['post']>) => {
  const run = () => Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  const { result, changes } = await app.changesBy(run);
  const statuses: Record<number, number> = {};
  for (const { status } of result) statuses[status] = (statuses[status] ?? 0) + 1;
  return { replies: result, statuses, changes };
};
const activate = (licenseKey: string, machineId: string, index = 0) =>
  app.post('/api/v1/license/activate', { licenseKey, machineId }, keys[index % 2]);
const times = (count: number, text: string) => Array.from({ length: count }, () => text);

describe('activate', () => {
  it('50 machines on one slot: one success', async () => {
    const { key } = await app.license({ maxActivations: 1 });
    const { replies, statuses, changes } = await together(50, (index) =>
      activate(key, `machine-${index}`, index),
    );
    expect(statuses).toEqual({ 200: 1, 400: 49 });
    expect(changes).toEqual({
      events: [...times(49, 'ACTIVATION_LIMIT_REACHED'), 'LICENSE_ACTIVATED'],
      rows: { license_activations: '+1' },
    });
    for (const { body } of replies.filter(({ status }) => status === 400))
      expect(body.error).toMatchObject({
        code: 'ACTIVATION_FAILED',
        message: 'Maximum activations reached (1 of 1)',
      });
  });

  it('50 machines on ten floating seats: ten leases', async () => {
    const { key } = await app.license({ type: 'FLOATING', maxActivations: 10 });
    const { statuses, changes } = await together(50, (index) => activate(key, `machine-${index}`, index));
    expect(statuses).toEqual({ 200: 10, 400: 40 });
    expect(changes.rows).toEqual({ license_activations: '+10' });
  });

  it('one machine 50 times: one activation, one event, 50 equal answers', async () => {
    const { key } = await app.license({ maxActivations: 3 });
    const { replies, statuses, changes } = await together(50, (index) =>
      activate(key, 'machine-0001', index),
    );
    expect(statuses).toEqual({ 200: 50 });
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(changes).toEqual({ events: ['LICENSE_ACTIVATED'], rows: { license_activations: '+1' } });
  });

  it('a trial on one machine, 20 licenses at once: BLOCK lets one through', async () => {
    const policy = await app.policy({ trialReuse: 'BLOCK' });
    const product = await app.product({ policyId: policy.id });
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        app.license({ productId: product.id, type: 'TRIAL', customerEmail: `t${index}@x.test` }),
      ),
    );
    const { statuses } = await together(20, (index) =>
      activate(made[index]?.key ?? '', 'machine-0001', index),
    );
    expect(statuses).toEqual({ 200: 1, 400: 19 });
  });
});

it('deactivate 20 times: one is freed, the others find nothing', async () => {
  const { key } = await app.license();
  await activate(key, 'machine-0001');
  const body = { licenseKey: key, machineId: 'machine-0001' };
  const { statuses, changes } = await together(20, (index) =>
    app.post('/api/v1/license/deactivate', body, keys[index % 2]),
  );
  expect(statuses).toEqual({ 200: 1, 400: 19 });
  expect(changes).toEqual({ events: ['LICENSE_DEACTIVATED'], rows: { license_activations: '~1' } });
});

it('nothing is alive after a revoke that ran among activations', async () => {
  const { id, key } = await app.license({ maxActivations: 1000 });
  const half = (from: number) =>
    Array.from({ length: 20 }, (_, index) => activate(key, `machine-${from + index}`));
  await Promise.all([...half(0), licenses.revoke(app.ctx, { licenseId: id }, null), ...half(20)]);
  const alive = await app.instance.database.db
    .knex('license_activations')
    .where({ license_id: id })
    .whereNull('ended_at');
  expect(alive).toEqual([]);
});

describe('create', () => {
  it('200 times with one idempotency key: one 201, 199 times 200, one license, one event', async () => {
    const { id: productId } = await app.product();
    const body = { productId, customerEmail: 'once@x.test' };
    const { replies, statuses, changes } = await together(200, (index) =>
      app.post('/api/v1/license/create', body, keys[index % 2], { 'X-Idempotency-Key': 'once' }),
    );
    expect(statuses).toEqual({ 200: 199, 201: 1 });
    expect(new Set(replies.map((reply) => reply.body.license?.key)).size).toBe(1);
    for (const { status, body: answer } of replies)
      expect(answer.idempotent).toBe(status === 200 ? true : undefined);
    expect(changes).toEqual({
      events: ['CUSTOMER_CREATED', 'LICENSE_CREATED'],
      rows: { licenses: '+1', license_keys: '+1', license_customers: '+1', license_idempotency: '+1' },
    });
  });

  it('50 licenses for one new customer: one customer', async () => {
    const { id: productId } = await app.product();
    const { statuses, changes } = await together(50, (index) => {
      const customerEmail = index % 2 === 0 ? 'same@x.test' : 'SAME@x.test';
      return app.post('/api/v1/license/create', { productId, customerEmail }, keys[index % 2]);
    });
    expect(statuses).toEqual({ 201: 50 });
    expect(changes.rows).toEqual({ licenses: '+50', license_keys: '+50', license_customers: '+1' });
  });

  it('20 bulk requests with one idempotency key make each item once', async () => {
    const { id: productId } = await app.product();
    const items = ['a', 'b', 'c'].map((orderId) => ({ productId, customerEmail: 'bulk@x.test', orderId }));
    const { statuses, changes } = await together(20, (index) =>
      app.post('/api/v1/license/create-bulk', { licenses: items }, keys[index % 2], {
        'X-Idempotency-Key': 'bulk',
      }),
    );
    expect(statuses).toEqual({ 201: 20 });
    expect(changes.rows).toMatchObject({ licenses: '+3', license_idempotency: '+3' });
  });
});
