// Setting up a payment processor: by JSON and in the panel, with a stand-in for Stripe on this machine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, member, textOf } from '../../platform/panel/staff.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { STRIPE_KEYS, StripeServer } from '../../support/processors/stripe-server.ts';
import { storeClient } from '../store-client.ts';

let server: StripeServer;
let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  server = await StripeServer.open();
  app = await startApp({ env: { APPCTL_STRIPE_API_URL: server.url } });
  client = await storeClient(app);
});
afterAll(async () => {
  await app.close();
  await server.close();
});

const base = '/payment-processors';
const keys = {
  publishable_key: STRIPE_KEYS.stripe_publishable_key,
  secret_key: STRIPE_KEYS.stripe_secret_key,
  webhook_secret: STRIPE_KEYS.stripe_webhook_secret,
};
const setting = async (key: string) => (await client.data(`/settings/${key}`)).value;
const unset = () =>
  client.send('/settings', 'PATCH', {
    stripe_publishable_key: null,
    stripe_secret_key: null,
    stripe_webhook_secret: null,
    payment_processor: null,
    payment_processors_enabled: null,
  });

describe('by JSON', () => {
  it('the registry shows those that can be used, without their secrets', async () => {
    const list = (await client.data(base)) as unknown as { id: string; configured: boolean }[];
    expect(list.map(({ id, configured }) => [id, configured])).toEqual([
      ['stripe', false],
      ['square', false],
      ['paypal', false],
      ['offline', true],
    ]);
    await client.data(`${base}/stripe/config`, 'PUT', keys);
    expect(await client.data(`${base}/stripe`)).toMatchObject({
      name: 'Stripe',
      display_name: 'Credit or debit card',
      kind: 'card',
      capabilities: { payments: true, refunds: true, authorize: true },
      config_fields: [
        { key: 'publishable_key', required: true, value: keys.publishable_key },
        { key: 'secret_key', type: 'password', value: '***' },
        { key: 'webhook_secret', required: false, value: '***' },
      ],
      configured: true,
      active: false,
      webhook_url: `${app.ctx.baseUrl}/api/store/payments/webhook/stripe`,
    });
    await unset();
  });

  it('it is filled in, tried and put to use', async () => {
    expect(await client.refusal(`${base}/stripe/activate`, 'POST')).toEqual([
      400,
      'VALIDATION_ERROR',
      'PAYMENT_UNAVAILABLE',
    ]);
    expect(await client.data(`${base}/stripe/test`, 'POST')).toMatchObject({ ok: false });
    expect(await client.data(`${base}/stripe/config`, 'PUT', keys)).toEqual({ configured: true });
    expect(await client.data(`${base}/stripe/test`, 'POST')).toMatchObject({ ok: true });
    // A masked secret that comes back changes nothing.
    await client.data(`${base}/stripe/config`, 'PUT', { secret_key: '***' });
    expect(await client.data(`${base}/stripe/test`, 'POST')).toMatchObject({ ok: true });
    await client.data(`${base}/stripe/config`, 'PUT', { secret_key: 'sk_test_of_nobody_0001' });
    expect(await client.data(`${base}/stripe/test`, 'POST')).toEqual({
      ok: false,
      message: 'Stripe does not accept the secret key',
    });
    expect(await client.data(`${base}/stripe/activate`, 'POST')).toEqual({ payment_processor: 'stripe' });
    expect(await setting('payment_processor')).toBe('stripe');
    expect(await client.data(`${base}/stripe/config`, 'PUT', { secret_key: null })).toEqual({
      configured: false,
    });
    await unset();
  });

  it.each([
    ['GET', 'bank', 404, 'NOT_FOUND', undefined],
    // Offered with --dev only.
    ['GET', 'fake', 404, 'NOT_FOUND', undefined],
    ['POST', 'bank/activate', 404, 'NOT_FOUND', undefined],
    ['POST', 'bank/test', 404, 'NOT_FOUND', undefined],
    ['PUT', 'bank/config', 404, 'NOT_FOUND', {}],
    ['PUT', 'stripe/config', 400, 'VALIDATION_ERROR', { client_id: 'x' }],
    ['PUT', 'stripe/config', 400, 'VALIDATION_ERROR', { secret_key: 'pk_test_0123456789abcdef' }],
    ['PUT', 'stripe/config', 400, 'VALIDATION_ERROR', { secret_key: 5 }],
  ])('%s %s is refused with %d', async (method, path, status, code, body) => {
    const reply = await app.changesBy(() => client.send(`${base}/${path}`, method, body));
    expect([reply.result.status, reply.result.body.error_code]).toEqual([status, code]);
    expect(reply.changes.events).toEqual([]);
  });
});

describe('in the panel', () => {
  const LIST = '/store/settings/payment';
  const STRIPE = `${LIST}/stripe`;

  it('a page for each says what to paste where, and keeps secrets', async () => {
    const { browser } = await member(app);
    const list = await browser.open(LIST);
    expect(list.status).toBe(200);
    for (const name of ['Stripe', 'Square', 'PayPal', 'Offline']) expect(textOf(list.text)).toContain(name);
    expect(list.text).not.toContain('Test payments');
    const page = await browser.open(STRIPE);
    expect(page.text).toContain(`${app.ctx.baseUrl}/api/store/payments/webhook/stripe`);
    const wrong = await browser.submit(STRIPE, { stripe_secret_key: 'pk_test_0123456789abcdef' });
    expect([wrong.status, wrong.text.includes('href="#field-stripe_secret_key"')]).toEqual([400, true]);
    const saved = await browser.submit(STRIPE, STRIPE_KEYS);
    expect([saved.status, saved.headers.location]).toEqual([303, `${STRIPE}?done=saved`]);
    const again = await browser.open(STRIPE);
    expect(fieldsOf(again.text)).toMatchObject({
      stripe_publishable_key: STRIPE_KEYS.stripe_publishable_key,
    });
    expect(again.text).not.toContain(STRIPE_KEYS.stripe_secret_key);
    await unset();
  });

  it('a button tries the keys, others put the processor to use and take it back', async () => {
    const { browser } = await member(app);
    await client.data(`${base}/stripe/config`, 'PUT', keys);
    const tried = await browser.submit(STRIPE, { todo: 'test' });
    expect([tried.status, textOf(tried.text).includes('The test passed.')]).toEqual([200, true]);
    await client.data(`${base}/stripe/config`, 'PUT', { secret_key: 'sk_test_of_nobody_0001' });
    const failed = await browser.submit(STRIPE, { todo: 'test' });
    expect(textOf(failed.text)).toContain('The test failed. Stripe does not accept the secret key.');
    const used = await browser.submit(STRIPE, { todo: 'activate' });
    expect(used.headers.location).toBe(`${STRIPE}?done=activated`);
    expect(await setting('payment_processor')).toBe('stripe');
    await browser.submit(LIST, { processor: 'offline', todo: 'offer' });
    expect(await setting('payment_processors_enabled')).toBe('["offline"]');
    await browser.submit(LIST, { processor: 'stripe', todo: 'withdraw' });
    await browser.submit(LIST, { processor: 'offline', todo: 'withdraw' });
    expect([await setting('payment_processor'), await setting('payment_processors_enabled')]).toEqual([
      '',
      '[]',
    ]);
    await unset();
  });

  it('what all have in common is a form beside the list', async () => {
    const { browser } = await member(app);
    const saved = await browser.submit(LIST, { payment_capture_mode: 'manual' });
    expect(saved.headers.location).toBe(`${LIST}?done=saved`);
    expect(await setting('payment_capture_mode')).toBe('manual');
    await client.send('/settings', 'PATCH', { payment_capture_mode: null });
  });
});
