// What clients do to single licenses stands in the timeline, and never queues for the end of the audit log (M25).
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { auditRows } from '../../src/platform/audit/queries.ts';
import { readHead } from '../../src/platform/audit/repository.ts';
import { type MadeKey, type MadeLicense, startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let apiKey: MadeKey;
let license: MadeLicense;
beforeAll(async () => {
  app = await startApp();
  apiKey = await app.apiKey('FULL_ADMIN');
  license = await app.license({ type: 'FLOATING', maxActivations: 2, maxUses: 9 });
});
afterAll(() => app.close());

const machine = { machineId: 'machine-0001' };
test.each([
  ['license/activate', machine],
  ['license/validate', machine],
  ['license/heartbeat', machine],
  ['license/deactivate', machine],
  ['license/checkout', machine],
  ['license/checkin', machine],
  ['license/record-usage', { feature: 'export', quantity: 1 }],
])('%s writes no row', async (path, body) => {
  const before = await readHead(app.ctx);
  const { status } = await app.post(
    `/api/v1/${path}`,
    { key: license.key, licenseKey: license.key, ...body },
    apiKey.secret,
  );
  expect([status, await readHead(app.ctx)]).toEqual([200, before]);
});

test('a license that the public API makes, with its customer, writes none', async () => {
  const { id } = await app.product();
  const before = await readHead(app.ctx);
  const body = { productId: id, customerEmail: 'new@x.test' };
  const { status } = await app.post('/api/v1/license/create', body, apiKey.secret);
  expect([status, await readHead(app.ctx)]).toEqual([201, before]);
});

test('what staff do to a license writes one, with what it was and what it is', async () => {
  const actor = { kind: 'staff', id: null, label: 'ann', permissions: 'all' } as const;
  const ctx = app.ctx.with({ actor });
  const { id } = await app.license({ type: 'SUBSCRIPTION', validUntil: '2027-01-01T00:00:00.000Z' }, ctx);
  await licenses.renew(ctx, { licenseId: id }, '2028-01-01T00:00:00.000Z');
  const { items } = await auditRows.page(ctx, { filters: { targetId: id }, offset: 0, limit: 10 });
  expect(items).toMatchObject([
    {
      action: 'LICENSE_RENEWED',
      before: { validUntil: '2027-01-01T00:00:00.000Z' },
      after: { validUntil: '2028-01-01T00:00:00.000Z' },
    },
    { action: 'LICENSE_CREATED', before: null, after: { status: 'ACTIVE', type: 'SUBSCRIPTION' } },
  ]);
});
