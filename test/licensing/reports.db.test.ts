// Reports (admin.md 5.5): each measures what its description says, of the tenant and the products of whoever asks.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { seedRows } from '../support/resource-sample.ts';

let app: TestApp;
let viewer: MadeKey;
let product: products.Product;
beforeAll(async () => {
  app = await startApp();
  viewer = await app.adminToken('viewer');
  product = await app.product({ slug: 'app' });
});
afterAll(() => app.close());

const ask = async (name: string, query: Record<string, string> = {}, as = viewer) => {
  const { status, body } = await app.admin(`/reports/${name}?${new URLSearchParams(query)}`, as);
  return { status, body, rows: (body.rows ?? []) as unknown as Record<string, unknown>[] };
};
const set = (id: string, columns: object) =>
  app.instance.database.transaction(
    async ({ knex }) => void (await knex('licenses').where({ id }).update(columns)),
  );
const term = async (created: string, validUntil: string | null, more: object = {}) => {
  const { id } = await app.license({ productId: product.id });
  await set(id, { type: 'SUBSCRIPTION', created_at: created, valid_until: validUntil, ...more });
  return id;
};

const year = { from: '2025-01-01T00:00:00Z', to: '2025-07-01T00:00:00Z' };

it('renewal-cohorts: what became of the terms that ended in each month', async () => {
  const created = '2024-05-01T00:00:00.000Z';
  const renewed = await term(created, '2025-05-10T00:00:00.000Z');
  await term(created, '2025-05-20T00:00:00.000Z');
  await term(created, '2025-05-31T23:59:59.999Z', {
    status: 'REVOKED',
    revoked_at: '2025-02-01T00:00:00.000Z',
  });
  await term(created, '2025-06-01T00:00:00.000Z');
  await licenses.renew(app.ctx, { licenseId: renewed }, '2027-05-10T00:00:00.000Z');
  const { status, body, rows } = await ask('renewal-cohorts', year);
  expect([status, body.name, body.from, body.to]).toEqual([
    200,
    'renewal-cohorts',
    '2025-01-01',
    '2025-06-30',
  ]);
  expect(rows.filter(({ due }) => due !== 0)).toEqual([
    { month: '2025-05', due: 2, renewed: 1, lapsed: 1, open: 0, renewedPercent: 50 },
    { month: '2025-06', due: 1, renewed: 0, lapsed: 1, open: 0, renewedPercent: 0 },
  ]);
  const coming = await ask('renewal-cohorts', { from: '2027-05-01T00:00:00Z', to: '2027-05-02T00:00:00Z' });
  expect(coming.rows).toEqual([
    { month: '2027-05', due: 1, renewed: 0, lapsed: 0, open: 1, renewedPercent: null },
  ]);
});

it('churn: licenses at the start of each month, and those that it lost', async () => {
  const { rows } = await ask('churn', { ...year, productId: 'app' });
  expect(rows.map(({ month }) => month)).toEqual([
    '2025-01',
    '2025-02',
    '2025-03',
    '2025-04',
    '2025-05',
    '2025-06',
  ]);
  expect(rows[0]).toEqual({
    month: '2025-01',
    atStart: 4,
    created: 0,
    expired: 0,
    revoked: 0,
    churnPercent: 0,
  });
  expect(rows[1]).toMatchObject({ atStart: 4, revoked: 1, expired: 0, churnPercent: 25 });
  // The one that was renewed later is not lost.
  expect(rows[4]).toMatchObject({ atStart: 3, expired: 1, revoked: 0, churnPercent: 33.3 });
  expect(rows[5]).toMatchObject({ atStart: 2, expired: 1, churnPercent: 50 });
});

it('version-adoption: machines by the version that they reported', async () => {
  const { key } = await app.license({ productId: product.id, maxActivations: 5 });
  const secret = (await app.apiKey('FULL_ADMIN')).secret;
  for (const [machineId, appVersion] of [
    ['machine-0001', '2.0.0'],
    ['machine-0002', '2.0.0'],
    ['machine-0003', '1.0.0'],
  ]) {
    const body = { licenseKey: key, machineId };
    expect((await app.post('/api/v1/license/activate', body, secret)).status).toBe(200);
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('license_activations').where({ machine_id: machineId }).update({ app_version: appVersion });
    });
  }
  const row = (version: string, machines: number, sharePercent: number) => ({
    productId: product.id,
    productSlug: 'app',
    version,
    machines,
    sharePercent,
  });
  expect((await ask('version-adoption')).rows).toEqual([row('2.0.0', 2, 66.7), row('1.0.0', 1, 33.3)]);
  expect((await ask('version-adoption', year)).rows).toEqual([]);
});

it('webhook-reliability: how many deliveries of each webhook arrived', async () => {
  const { body } = await app.admin('/webhooks', await app.adminToken('owner'), {
    body: { name: 'crm', url: 'https://203.0.114.7/hook', events: ['LICENSE_CREATED'] },
  });
  const webhookId = String(body.webhook?.id);
  const states = ['DELIVERED', 'DELIVERED', 'DELIVERED', 'FAILED', 'PENDING', 'SKIPPED'];
  await seedRows(app.ctx, 'webhook_deliveries', states.length, (i) => ({
    id: app.ctx.newId('dlv'),
    webhook_id: webhookId,
    tenant_id: app.ctx.tenantId,
    event_id: `evt_${i}`,
    event: 'LICENSE_CREATED',
    subject: 'lic_1',
    body: '{}',
    state: states[i],
    is_test: false,
    attempts: 2,
    ended_at: states[i] === 'PENDING' ? null : app.ctx.now(),
    created_at: app.ctx.now(),
  }));
  expect((await ask('webhook-reliability')).rows).toEqual([
    {
      webhookId,
      name: 'crm',
      url: 'https://203.0.114.7/hook',
      sent: 5,
      delivered: 3,
      failed: 1,
      pending: 1,
      attempts: 10,
      deliveredPercent: 75,
    },
  ]);
  expect((await ask('webhook-reliability', year)).rows).toMatchObject([{ sent: 0, deliveredPercent: null }]);
});

it('count nothing of other tenants and products, and refuse what is unknown', async () => {
  const other = await app.product();
  const scoped = await app.adminToken('viewer', { productIds: [other.id] });
  const foreign = await app.adminToken('viewer', {}, await app.otherTenant());
  const names = ['renewal-cohorts', 'churn', 'version-adoption', 'denied-seats', 'webhook-reliability'];
  for (const as of [scoped, foreign])
    for (const name of names) {
      const { status, rows } = await ask(name, year, as);
      const figures = rows.flatMap((row) => Object.values(row).filter((value) => typeof value === 'number'));
      expect([name, status, figures.filter((figure) => figure !== 0)]).toEqual([name, 200, []]);
    }
  const unknown = await ask('nothing');
  expect([unknown.status, unknown.body.error?.message]).toEqual([
    404,
    `report nothing was not found; the reports are ${names.join(', ')}`,
  ]);
  expect((await ask('churn', { productId: 'nothing' })).status).toBe(404);
  expect((await ask('churn', { from: '2020-01-01T00:00:00Z' })).status).toBe(400);
});

it('are answered as CSV, which the audit log remembers', async () => {
  const { result, changes } = await app.changesBy(() =>
    app.admin(`/reports/churn?format=csv&${new URLSearchParams(year)}`, viewer),
  );
  expect(result.headers['content-disposition']).toContain('attachment; filename="churn-');
  expect(result.text.split('\r\n').slice(0, 2)).toEqual([
    'month,atStart,created,expired,revoked,churnPercent',
    '2025-01,4,0,0,0,0',
  ]);
  expect(changes.events).toEqual(['EXPORTED']);
});
