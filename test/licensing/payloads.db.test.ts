// What receivers are told of the calls of the license API (spec Events: Payload; D122 to D126).
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp({ listener: true });
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());
beforeEach(() => {
  app.heard.length = 0;
});

const call = (name: string, licenseKey: string, machineId: string, more: object = {}) =>
  app.post(`/api/v1/license/${name}`, { licenseKey, machineId, ...more }, key);
const told = (id: string) => app.heard.filter(({ subject }) => subject === id);
const machinesTold = (id: string) => told(id).map(({ type, data }) => [type, data.machineIds]);

it('the payload holds the documented fields, and neither the key nor the address', async () => {
  const product = await app.product({ name: 'Photo' });
  const body = { productId: product.id, customerEmail: 'secret@x.test' };
  const { license } = (await app.post('/api/v1/license/create', body, key)).body;
  await call('activate', String(license?.key), 'machine-a', { machineName: 'A' });
  const events = told(String(license?.id));
  expect(events.map(({ type }) => type)).toEqual(['LICENSE_CREATED', 'LICENSE_ACTIVATED']);
  expect(events[1]?.data).toEqual({
    licenseId: license?.id,
    licenseKeyPrefix: String(license?.key).slice(0, 8),
    customerId: expect.stringMatching(/^cus_/),
    status: 'ACTIVE',
    product: { name: 'Photo', slug: product.slug },
    machineIds: ['machine-a'],
    details: { machineId: 'machine-a', machineName: 'A' },
  });
  expect(JSON.stringify(events)).not.toContain(license?.key);
  expect(JSON.stringify(events)).not.toContain('secret@');
});

it('machineIds are those that are live after the event; after a revoke those before it (D123)', async () => {
  const { id, key: licenseKey } = await app.license({ maxActivations: 2 });
  for (const machine of ['machine-a', 'machine-b', 'machine-c']) {
    app.clock.advance(1);
    await call('activate', licenseKey, machine);
  }
  await call('deactivate', licenseKey, 'machine-a');
  await licenses.revoke(app.ctx, { licenseId: id }, null);
  expect(machinesTold(id)).toEqual([
    ['LICENSE_CREATED', []],
    ['LICENSE_ACTIVATED', ['machine-a']],
    ['LICENSE_ACTIVATED', ['machine-a', 'machine-b']],
    ['ACTIVATION_LIMIT_REACHED', ['machine-a', 'machine-b']],
    ['LICENSE_DEACTIVATED', ['machine-b']],
    ['LICENSE_REVOKED', ['machine-b']],
  ]);
});

it('validate tells one of its two events, and neither for an unknown key; no row is written (D122)', async () => {
  const { id, key: licenseKey } = await app.license({ maxVersion: '1' });
  await call('activate', licenseKey, 'machine-a');
  app.heard.length = 0;
  const { changes } = await app.changesBy(async () => {
    await call('validate', licenseKey, 'machine-a', { appVersion: '1.2' });
    await call('validate', licenseKey, 'machine-a', { appVersion: '2' });
    await call('validate', 'APP-0000-0000-0000-0000', 'machine-a');
  });
  expect(changes).toEqual({ events: [], rows: {} });
  expect(app.heard.map(({ type, subject, data }) => [type, subject, data.details])).toEqual([
    ['LICENSE_VALIDATED', id, { machineId: 'machine-a', appVersion: '1.2', grace: false }],
    [
      'VALIDATION_FAILED',
      id,
      {
        machineId: 'machine-a',
        appVersion: '2',
        code: 'VERSION_NOT_ALLOWED',
        message: 'License does not cover this application version',
      },
    ],
  ]);
});

it('a repeat and a refusal tell nothing', async () => {
  const { id, key: licenseKey } = await app.license();
  await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
  const other = await app.license();
  await call('activate', other.key, 'machine-a');
  app.heard.length = 0;
  await call('activate', licenseKey, 'machine-a');
  await call('activate', other.key, 'machine-a');
  await call('deactivate', other.key, 'machine-b');
  await app.post('/api/v1/license/create', { productId: 'no-such', customerEmail: 'a@x.test' }, key);
  expect(app.heard).toEqual([]);
});
