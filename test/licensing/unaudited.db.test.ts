// What clients do to single licenses stands in the timeline, and never queues for the end of the audit log (M25).
import { afterAll, beforeAll, expect, test } from 'vitest';
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
