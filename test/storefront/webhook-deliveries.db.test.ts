// How events of the shop reach their receivers (storefront-domain 18).
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as webhooks from '#platform/webhooks/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { storeWebhooks } from '#storefront/tools/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  attemptsOf,
  deliveriesOf,
  insertWebhook,
  LOOPBACK_PINS,
  openReceiver,
  outboxOf,
  type Receiver,
  webhookRow,
  webhookWorker,
} from '../support/webhooks.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let receiver: Receiver;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp({ pins: { ...LOOPBACK_PINS, store_name: 'Kiln & Co.' } });
  receiver = await openReceiver();
  client = await storeClient(app);
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});
beforeEach(async () => {
  await app.ctx.tx(async (ctx) => {
    await ctx.db.knex('webhooks').delete();
    await ctx.db.knex('outbox').delete();
  });
  Object.assign(receiver, { received: [], answers: [], otherwise: 200 });
});

const send = () => webhookWorker(app.ctx).idle();
const create = async (events = ['product.created']) => {
  const { webhook, signingSecret } = await webhooks.create(app.ctx, storeWebhooks, {
    url: receiver.url,
    events,
  });
  return { id: webhook.id, secret: signingSecret };
};
const signature = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(Buffer.from(body)).digest('hex')}`;
const secondsUntil = (at: unknown) => (Date.parse(String(at)) - Date.parse(app.ctx.now())) / 1000;

it('sends exactly event, timestamp and data, signed over the raw bytes', async () => {
  const { id, secret } = await create();
  const product = await client.data('/products', 'POST', mug({ title: 'Tasse für Ünïcode' }));
  await send();
  expect(receiver.received).toHaveLength(1);
  const [{ headers, body }] = receiver.received as [Receiver['received'][number]];
  expect(headers).toMatchObject({
    'Content-Type': 'application/json',
    'User-Agent': 'Kiln-&-Co./1.0',
    'X-Webhook-Event': 'product.created',
    'X-Webhook-Attempt': '1',
    'X-Webhook-Signature': signature(secret, body),
  });
  const told = JSON.parse(body) as { data: Record<string, unknown> };
  const eventId = headers['X-Webhook-Id'];
  expect(told).toEqual({
    event: 'product.created',
    timestamp: expect.any(String),
    data: { ...product, event_id: eventId },
  });
  expect(Object.keys(told)).toEqual(['event', 'timestamp', 'data']);
  expect(Math.abs(secondsUntil(headers['X-Webhook-Timestamp']))).toBeLessThan(60);
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([{ state: 'DELIVERED', event_id: eventId, body }]);
});

it('tells of changes and of the end of a product, and of nothing else that happens in the shop', async () => {
  await create(['*']);
  const { id } = await client.data('/products', 'POST', mug());
  await client.data(`/products/${id}`, 'PATCH', { title: 'Another title' });
  await client.data('/categories', 'POST', { name: 'Kitchen', slug: 'kitchen' });
  await client.send(`/products/${id}`, 'DELETE');
  await send();
  // One sender sends several deliveries at once: which arrives first is not promised.
  const told = new Map(
    receiver.received.map(({ body, headers }) => [
      headers['X-Webhook-Event'],
      { id: headers['X-Webhook-Id'], data: (JSON.parse(body) as { data: object }).data },
    ]),
  );
  expect(receiver.received).toHaveLength(3);
  expect([...told.keys()].sort()).toEqual(['product.created', 'product.deleted', 'product.updated']);
  expect(told.get('product.updated')?.data).toMatchObject({ id, title: 'Another title' });
  expect(told.get('product.deleted')?.data).toEqual({
    id,
    slug: expect.any(String),
    archived: false,
    event_id: told.get('product.deleted')?.id,
  });
});

it('tells of a variant whose stock fell to its threshold, once, with what its example shows', async () => {
  const { id, secret } = await create(['inventory.low_stock']);
  const made = await client.data('/products', 'POST', {
    title: 'Jar',
    type: 'physical',
    variants: [{ sku: 'JAR-LOW', price_cents: 100, stock: 9 }],
  });
  const [variant] = made.variants as { id: string; title: string }[];
  const adjust = (delta: number) =>
    client.data(`/inventory/${variant?.id}/adjust`, 'POST', { delta, reason: 'correction' });
  await adjust(-5);
  await adjust(-1);
  await send();
  expect(receiver.received).toHaveLength(1);
  const [{ headers, body }] = receiver.received as [Receiver['received'][number]];
  expect(headers).toMatchObject({
    'X-Webhook-Event': 'inventory.low_stock',
    'X-Webhook-Signature': signature(secret, body),
  });
  const told = JSON.parse(body) as { data: { variant: object } };
  expect(told).toEqual({
    event: 'inventory.low_stock',
    timestamp: expect.any(String),
    data: {
      variant: { id: variant?.id, sku: 'JAR-LOW', title: variant?.title, product_id: made.id },
      available: 4,
      threshold: 5,
      event_id: headers['X-Webhook-Id'],
    },
  });
  const listed = storeWebhooks.events.find(({ name }) => name === 'inventory.low_stock');
  const example = listed?.example as unknown as { variant: object };
  expect(Object.keys(told.data)).toEqual(Object.keys(example));
  expect(Object.keys(told.data.variant)).toEqual(Object.keys(example.variant));
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([{ state: 'DELIVERED', body }]);
});

it('tries at once, then after 30 s, 2 min, 10 min, 30 min, 2 h, 6 h and 24 h, and gives up', async () => {
  const { id } = await create();
  await client.data('/products', 'POST', mug());
  receiver.otherwise = 404;
  await send();
  for (const seconds of [30, 120, 600, 1800, 7200, 21_600, 86_400]) {
    const wait = secondsUntil((await outboxOf(app.ctx, id))[0]?.available_at);
    expect([seconds, wait >= seconds * 0.9 - 1 && wait <= seconds * 1.1 + 1]).toEqual([seconds, true]);
    app.clock.advance(wait + 1);
    await send();
  }
  expect(receiver.received.map(({ headers }) => headers['X-Webhook-Attempt'])).toEqual([
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
  ]);
  expect(new Set(receiver.received.map(({ headers, body }) => headers['X-Webhook-Id'] + body)).size).toBe(1);
  expect(await outboxOf(app.ctx, id)).toEqual([]);
  const [delivery] = await deliveriesOf(app.ctx, id);
  expect(delivery).toMatchObject({ state: 'FAILED', attempts: 8, last_status: 404 });
  expect(await attemptsOf(app.ctx, delivery?.id)).toHaveLength(8);
  expect(await webhookRow(app.ctx, id)).toMatchObject({ consecutive_failures: 1 });
});

it('a redirect is a failure that is retried; a later success resets the count', async () => {
  const { id } = await create();
  await app.ctx.tx((ctx) => ctx.db.knex('webhooks').where({ id }).update({ consecutive_failures: 19 }));
  await client.data('/products', 'POST', mug());
  receiver.answers = [(res) => void res.writeHead(302, { Location: receiver.url }).end()];
  await send();
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([{ state: 'PENDING', last_status: 302 }]);
  app.clock.advance(34);
  await send();
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([{ state: 'DELIVERED', attempts: 2 }]);
  expect(await webhookRow(app.ctx, id)).toMatchObject({ consecutive_failures: 0 });
});

it('410 disables the webhook at once, and what waits is skipped', async () => {
  const { id } = await create();
  await client.data('/products', 'POST', mug());
  receiver.otherwise = 410;
  await send();
  await client.data('/products', 'POST', mug());
  await send();
  const row = await webhookRow(app.ctx, id);
  expect([Boolean(row.enabled), row.disabled_reason]).toEqual([false, 'the receiver answered 410']);
  expect(receiver.received).toHaveLength(1);
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([{ state: 'FAILED', attempts: 1 }]);
});

it('20 failed deliveries in a row disable it', async () => {
  const { id } = await create();
  await app.ctx.tx((ctx) => ctx.db.knex('webhooks').where({ id }).update({ consecutive_failures: 19 }));
  await client.data('/settings', 'PATCH', { webhook_max_attempts: '1' });
  await client.data('/products', 'POST', mug());
  receiver.otherwise = 500;
  await send();
  await client.data('/settings', 'PATCH', { webhook_max_attempts: '8' });
  const row = await webhookRow(app.ctx, id);
  expect([Boolean(row.enabled), row.disabled_reason]).toEqual([false, '20 deliveries in a row failed']);
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([{ state: 'FAILED', attempts: 1 }]);
  const audit = await app.ctx.db.knex('audit_log').where({ action: 'WEBHOOK_DISABLED', target_id: id });
  expect(audit).toMatchObject([{ target_type: 'store-webhooks' }]);
});

it('gives up on a receiver that takes longer than webhook_timeout_ms', async () => {
  const { id } = await create();
  await client.data('/settings', 'PATCH', { webhook_timeout_ms: '1000' });
  await client.data('/products', 'POST', mug());
  receiver.answers = [() => undefined];
  await send();
  await client.data('/settings', 'PATCH', { webhook_timeout_ms: '10000' });
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([{ state: 'PENDING', last_status: null }]);
  for (const value of ['999', '10001', 'x'])
    expect(await client.refusal('/settings', 'PATCH', { webhook_timeout_ms: value })).toEqual([
      400,
      'VALIDATION_ERROR',
      undefined,
    ]);
});

it('after a rotation both secrets sign for 24 hours; a redelivery sends the same bytes again', async () => {
  const { id, secret } = await create();
  const { signingSecret: next } = await webhooks.rotateSecret(app.ctx, storeWebhooks, id);
  await client.data('/products', 'POST', mug());
  await send();
  const [delivery] = await deliveriesOf(app.ctx, id);
  await webhooks.replayOne(app.ctx, storeWebhooks, String(delivery?.id));
  app.clock.advance(86_401);
  await send();
  const [first, again] = receiver.received;
  const body = first?.body ?? '';
  expect(first?.headers).toMatchObject({
    'X-Webhook-Signature': signature(next, body),
    'X-Webhook-Signature-Previous': signature(secret, body),
  });
  expect(first?.headers['X-Webhook-Redelivery']).toBeUndefined();
  expect(again?.body).toBe(body);
  expect(again?.headers).toMatchObject({
    'X-Webhook-Id': first?.headers['X-Webhook-Id'],
    'X-Webhook-Attempt': '1',
    'X-Webhook-Redelivery': 'true',
    'X-Webhook-Signature': signature(next, body),
  });
  expect(again?.headers['X-Webhook-Signature-Previous']).toBeUndefined();
});

it('a change that is rolled back sends nothing', async () => {
  const { id } = await create(['*']);
  const refused = app.ctx.tx(async (ctx) => {
    const { slug } = await products.create(ctx, { title: 'Never', type: 'physical' });
    expect(await ctx.db.knex('webhook_deliveries').where({ webhook_id: id })).toHaveLength(1);
    throw new Error(`${slug} is rolled back`);
  });
  await expect(refused).rejects.toThrow('never is rolled back');
  await send();
  expect([receiver.received, await deliveriesOf(app.ctx, id)]).toEqual([[], []]);
});

it('each service tells its own webhooks alone', async () => {
  const { id } = await create(['*']);
  const ofLicenses = await insertWebhook(app.ctx, { url: receiver.url, events: ['*'] });
  await client.data('/products', 'POST', mug());
  await app.license();
  await send();
  expect((await deliveriesOf(app.ctx, id)).map(({ event }) => event)).toEqual(['product.created']);
  expect((await deliveriesOf(app.ctx, ofLicenses)).map(({ event }) => event)).toEqual(['LICENSE_CREATED']);
});

it.each([
  ['subscription.renewed', /has no subscriptions yet/],
  ['product.create', /did you mean product\.created\?/],
  ['PRODUCT.UPDATED', /did you mean product\.updated\?/],
  ['LICENSE_CREATED', /LICENSE_CREATED is not an event; appctl webhook events --service store lists them/],
  ['webhook.test', /needs no subscription/],
])('nobody can subscribe to %s', async (event, message) => {
  await expect(
    webhooks.create(app.ctx, storeWebhooks, { url: receiver.url, events: [event] }),
  ).rejects.toThrow(message);
});
