// The settings of payments: what they take, and that a secret is never shown.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { storeClient } from '../store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const change = (values: object) => client.send('/settings', 'PATCH', values);
const shown = async () => (await client.send('/settings')).body.data as unknown as Record<string, string>;

it('a processor is named by its id, none by an empty text or by the word', async () => {
  for (const id of ['stripe', 'square', 'paypal', 'offline']) {
    expect((await change({ payment_processor: id })).status).toBe(200);
    expect((await shown()).payment_processor).toBe(id);
  }
  for (const none of ['', 'none', null]) {
    await change({ payment_processor: 'offline' });
    expect((await change({ payment_processor: none })).status).toBe(200);
    expect((await shown()).payment_processor).toBe('');
  }
});

it('the test processor is refused in production', async () => {
  const values = [{ payment_processor: 'fake' }, { payment_processors_enabled: '["offline","fake"]' }];
  for (const value of values) {
    const { status, body } = await change(value);
    expect([status, body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify(body)).toContain('--dev');
  }
});

it('further processors are a list without repetitions', async () => {
  expect((await change({ payment_processors_enabled: '["offline","paypal","offline"]' })).status).toBe(200);
  expect((await shown()).payment_processors_enabled).toBe('["offline","paypal"]');
  expect((await change({ payment_processors_enabled: '["bank"]' })).status).toBe(400);
  await change({ payment_processors_enabled: null });
});

it.each([
  ['a publishable key in place of a secret one', { stripe_secret_key: 'pk_test_0123456789abcdef' }],
  ['a secret key in place of a publishable one', { stripe_publishable_key: 'sk_test_0123456789abcdef' }],
  ['a webhook secret that anyone could guess', { stripe_webhook_secret: 'whsec_1' }],
  ['a key with a space in it', { square_access_token: 'EAAA 0123456789abcdef' }],
  ['an environment that is none', { paypal_environment: 'test' }],
  ['a window that is too short', { order_payment_window_minutes: 1 }],
  ['a capture mode that is none', { payment_capture_mode: 'later' }],
])('%s is refused', async (_what, values) => {
  const { status, body } = await change(values);
  expect([status, body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
  const [value] = Object.values(values);
  // What was sent may be a secret.
  if (String(value).length > 10) expect(JSON.stringify(body)).not.toContain(value);
});

it('a secret is sealed in the database and masked for everybody', async () => {
  const secrets = {
    stripe_secret_key: 'sk_test_never_shown_0001',
    stripe_webhook_secret: 'whsec_never_shown_0001',
    square_access_token: 'EAAA_never_shown_0001',
    square_webhook_signature_key: 'never_shown_0001_square',
    paypal_client_secret: 'never_shown_0001_paypal',
  };
  expect((await change({ ...secrets, stripe_publishable_key: 'pk_test_public' })).status).toBe(200);
  const settings = await shown();
  for (const key of Object.keys(secrets)) expect(settings[key]).toBe('***');
  expect(settings.stripe_publishable_key).toBe('pk_test_public');
  const rows = await app.instance.database.db.knex('settings').select('*');
  const log = await app.instance.database.db.knex('audit_log').select('*');
  expect(JSON.stringify([rows, log])).not.toContain('never_shown');
  await change(Object.fromEntries(Object.keys(secrets).map((key) => [key, null])));
});
