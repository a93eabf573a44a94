// Webhooks of the shop by JSON: made, listed, changed, tested, switched and ended (storefront-api.md AM; Z20).
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import {
  insertWebhook,
  LOOPBACK_PINS,
  openReceiver,
  type Receiver,
  webhookWorker,
} from '../support/webhooks.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let receiver: Receiver;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
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
const make = (fields: object = {}) =>
  client.data('/webhooks', 'POST', { url: receiver.url, events: ['product.created'], ...fields });
type Delivery = Record<string, unknown> & { id: string; attempts: Record<string, unknown>[] };
const deliveriesOf = async (id: string, query = '') =>
  (await client.data(`/webhooks/${id}/deliveries${query}`)) as unknown as Delivery[];

it('is made with its secret shown once, and names what the store calls it', async () => {
  const { result, changes } = await app.changesBy(() => make({ unknown_field: 1 }));
  expect(changes.events).toEqual(['WEBHOOK_CREATED']);
  const { secret, warning, ...webhook } = result;
  expect([String(secret).slice(0, 4), warning]).toEqual(['whs_', null]);
  expect(webhook).toEqual({
    id: expect.stringMatching(/^whk_/),
    url: receiver.url,
    events: ['product.created'],
    description: new URL(receiver.url).host,
    active: true,
    headers: [],
    consecutive_failures: 0,
    disabled_at: null,
    disabled_reason: null,
    last_day: { delivered: 0, failed: 0, failed_attempts: 0 },
    last_delivery_at: null,
    last_success_at: null,
    previous_secret_until: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(await client.data(`/webhooks/${webhook.id}`)).toEqual(webhook);
  const row = await app.ctx.db.knex('webhooks').where({ id: webhook.id }).first();
  expect([row.service, row.tenant_id, JSON.stringify(row).includes(String(secret))]).toEqual([
    'store',
    app.ctx.tenantId,
    false,
  ]);
});

it.each([
  ['no url', { url: undefined }, 'VALIDATION_MISSING_FIELD', 'url'],
  ['no events', { events: undefined }, 'VALIDATION_MISSING_FIELD', 'events'],
  ['an empty list of events', { events: [] }, 'VALIDATION_ERROR', 'events'],
  ['events that are no list', { events: 'product.created' }, 'VALIDATION_ERROR', 'events'],
  ['an event twice', { events: ['product.created', 'product.created'] }, 'VALIDATION_ERROR', 'events'],
  ['* with others', { events: ['*', 'product.created'] }, 'VALIDATION_ERROR', 'events'],
  ['an event that is not built', { events: ['subscription.created'] }, 'VALIDATION_ERROR', 'events'],
  ['an event of the license service', { events: ['LICENSE_CREATED'] }, 'VALIDATION_ERROR', 'events'],
  ['a private address', { url: 'https://10.0.0.1/hook' }, 'VALIDATION_ERROR', 'url'],
  ['credentials in the url', { url: 'https://a:b@example.com/' }, 'VALIDATION_ERROR', 'url'],
  ['no address at all', { url: '<b>=1+1' }, 'VALIDATION_ERROR', 'url'],
  ['a long description', { description: 'x'.repeat(101) }, 'VALIDATION_ERROR', 'description'],
  ['a short own secret', { secret: 'short' }, 'VALIDATION_ERROR', 'secret'],
  ['a header of the request itself', { headers: { 'X-Webhook-Id': 'x' } }, 'VALIDATION_ERROR', 'headers'],
  ['a flag that is none', { active: 'yes' }, 'VALIDATION_ERROR', 'active'],
])('%s makes none', async (_what, fields, code, field) => {
  const { result, changes } = await app.changesBy(() =>
    client.send('/webhooks', 'POST', { url: receiver.url, events: ['*'], ...fields }),
  );
  const details = result.body.details as unknown as { fields: { field: string }[] };
  expect([result.status, result.body.error_code]).toEqual([400, code]);
  expect(details.fields[0]?.field.split('.')[0]).toBe(field);
  expect([changes.events, changes.rows]).toEqual([[], {}]);
});

it('is listed oldest first, filtered, and in pages', async () => {
  const first = await make({ description: 'one' });
  const second = await make({ description: '=two', active: false, events: ['*'] });
  const ids = async (query: string) =>
    ((await client.data(`/webhooks${query}`)) as unknown as { id: string }[]).map(({ id }) => id);
  expect(await ids('')).toEqual([first.id, second.id]);
  expect(await ids('?active=false')).toEqual([second.id]);
  expect(await ids('?q=%3DTWO')).toEqual([second.id]);
  expect(await ids('?event=product.deleted')).toEqual([second.id]);
  expect(await ids('?sort=-created&per_page=1')).toEqual([second.id]);
  expect(await ids('?page=1000000000')).toEqual([]);
  for (const query of ['page=0', 'page=-1', 'per_page=101', 'sort=nope', 'active=maybe'])
    expect([query, (await client.send(`/webhooks?${query}`)).status]).toEqual([query, 400]);
});

it('active switches it; activated again it has no failures and gets nothing that happened meanwhile', async () => {
  const { id } = await make();
  await app.ctx.tx((ctx) => ctx.db.knex('webhooks').where({ id }).update({ consecutive_failures: 3 }));
  const off = await client.data(`/webhooks/${id}`, 'PATCH', { active: false, description: 'moves' });
  expect(off).toMatchObject({ active: false, description: 'moves', disabled_reason: 'by staff' });
  await client.data('/products', 'POST', mug());
  const on = await client.data(`/webhooks/${id}`, 'PATCH', { active: true });
  expect(on).toMatchObject({ active: true, consecutive_failures: 0, disabled_at: null, warning: null });
  await send();
  expect(receiver.received).toEqual([]);
  expect((await client.data(`/webhooks/${id}/disable`, 'POST', {})).active).toBe(false);
  expect((await client.data(`/webhooks/${id}/enable`, 'POST', {})).active).toBe(true);
  expect(await client.refusal(`/webhooks/${id}`, 'PATCH', { events: ['subscription.created'] })).toEqual([
    400,
    'VALIDATION_ERROR',
    undefined,
  ]);
});

it('a test sends webhook.test at once and answers the delivery', async () => {
  const { id, secret } = await make({ active: false });
  receiver.answers = [(res) => void res.writeHead(503, { 'Content-Type': 'text/plain' }).end('later')];
  const sent = await client.data(`/webhooks/${id}/test`, 'POST', {});
  expect(sent).toMatchObject({
    webhook_id: id,
    event: 'webhook.test',
    status: 'failed',
    is_test: true,
    attempts: [{ no: 1, status: 503, response_excerpt: 'later' }],
  });
  const [{ body, headers }] = receiver.received as [Receiver['received'][number]];
  expect(JSON.parse(body)).toEqual({
    event: 'webhook.test',
    timestamp: expect.any(String),
    data: { webhook_id: id, note: null, event_id: sent.event_id },
    test: true,
  });
  const signature = createHmac('sha256', String(secret)).update(body).digest('hex');
  expect(headers['X-Webhook-Signature']).toBe(`sha256=${signature}`);
  await client.data(`/webhooks/${id}/test`, 'POST', { event: 'inventory.low_stock' });
  expect(JSON.parse(receiver.received[1]?.body ?? '').data).toMatchObject({ available: 4, threshold: 5 });
  expect(await client.refusal(`/webhooks/${id}/test`, 'POST', { event: 'order.paid' })).toEqual([
    400,
    'VALIDATION_ERROR',
    undefined,
  ]);
  expect(await client.refusal(`/webhook-deliveries/${sent.id}/redeliver`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
});

it('shows its deliveries with their attempts, and sends one or a range of them again', async () => {
  const { id } = await make({ events: ['*'] });
  const product = await client.data('/products', 'POST', mug());
  receiver.answers = [410];
  await send();
  const [delivery] = await deliveriesOf(id);
  expect(delivery).toMatchObject({
    webhook_id: id,
    event: 'product.created',
    subject: product.id,
    status: 'failed',
    attempts: [{ no: 1, run: 0, status: 410, error: null }],
  });
  expect(JSON.parse(String(delivery?.body)).data.id).toBe(product.id);
  expect(delivery?.body).toBe(receiver.received[0]?.body);
  expect(await client.data(`/webhook-deliveries/${delivery?.id}`)).toEqual(delivery);
  const again = await client.data(`/webhook-deliveries/${delivery?.id}/redeliver`, 'POST', {});
  expect(again).toMatchObject({ id: delivery?.id, status: 'pending', run: 1 });
  expect(await client.refusal(`/webhook-deliveries/${delivery?.id}/redeliver`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  await send();
  expect(receiver.received[1]).toMatchObject({
    body: delivery?.body,
    headers: {
      'X-Webhook-Redelivery': 'true',
      'X-Webhook-Id': receiver.received[0]?.headers['X-Webhook-Id'],
    },
  });
  const range = { from: '2020-01-01T00:00:00Z', statuses: ['delivered'] };
  expect(await client.data(`/webhooks/${id}/replay`, 'POST', range)).toEqual({
    queued: 1,
    pending: 0,
    left: 0,
  });
  const count = async (query: string) => (await deliveriesOf(id, query)).length;
  expect([await count('?status=pending'), await count('?status=failed,skipped')]).toEqual([1, 0]);
  expect([await count('?event=product.created'), await count('?event=product.deleted')]).toEqual([1, 0]);
  for (const query of ['page=0', 'status=FAILED', 'sort=nope'])
    expect([query, (await client.send(`/webhooks/${id}/deliveries?${query}`)).status]).toEqual([query, 400]);
});

it('a rotated secret is shown once; the old one is told to sign for 24 hours', async () => {
  const { id, secret } = await make();
  const { result, changes } = await app.changesBy(() =>
    client.data(`/webhooks/${id}/rotate-secret`, 'POST', {}),
  );
  expect(changes.events).toEqual(['WEBHOOK_SECRET_ROTATED']);
  expect(result.secret).toMatch(/^whs_/);
  expect(result.secret).not.toBe(secret);
  const hours = (Date.parse(String(result.previous_secret_until)) - Date.parse(app.ctx.now())) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  expect((await client.data(`/webhooks/${id}`)).secret).toBeUndefined();
});

it('is deleted with the log of its deliveries', async () => {
  const { id } = await make();
  await client.data('/products', 'POST', mug());
  expect(await client.data(`/webhooks/${id}`, 'DELETE')).toEqual({ deleted: true });
  expect(await app.ctx.db.knex('webhook_deliveries').where({ webhook_id: id })).toEqual([]);
  await send();
  expect(receiver.received).toEqual([]);
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'PATCH'],
    ['', 'DELETE'],
    ['/test', 'POST'],
    ['/rotate-secret', 'POST'],
    ['/deliveries', 'GET'],
  ] as const)
    expect([
      path,
      await client.refusal(`/webhooks/${id}${path}`, method, method === 'GET' ? undefined : {}),
    ]).toEqual([path, [404, 'NOT_FOUND', undefined]]);
});

it('webhooks and deliveries of one service are unknown to the other', async () => {
  const store = await make({ events: ['*'] });
  const license = await insertWebhook(app.ctx, { url: receiver.url, events: ['*'] });
  await client.data('/products', 'POST', mug());
  await app.license();
  await send();
  const token = await app.adminToken('owner');
  const listed = await app.admin('/webhooks', token);
  expect((listed.body as unknown as { items: { id: string }[] }).items.map(({ id }) => id)).toEqual([
    license,
  ]);
  const theirs = (await app.admin('/deliveries', token)).body as unknown as {
    items: { id: string; event: string }[];
  };
  expect(theirs.items.map(({ event }) => event)).toEqual(['LICENSE_CREATED']);
  const ours = (await client.data('/webhook-deliveries')) as unknown as Delivery[];
  expect(ours.map(({ event }) => event)).toEqual(['product.created']);
  expect((await client.send('/webhooks')).body.pagination).toMatchObject({ total: 1 });
  for (const path of [`/webhooks/${license}`, `/webhook-deliveries/${theirs.items[0]?.id}`])
    expect((await client.send(path)).status).toBe(404);
  for (const path of [`/webhooks/${store.id}`, `/deliveries/${ours[0]?.id}`])
    expect((await app.admin(path, token)).status).toBe(404);
});

it('keys need settings:read or settings:write, staff webhooks:read or webhooks:write', async () => {
  const { id } = await make();
  const key = async (scope: string) =>
    String((await client.data('/api-keys', 'POST', { name: 'k', scopes: [scope] })).key);
  const asked = async (secret: string, path: string, method: string, body?: unknown) =>
    (await app.send(`/api/store${path}`, { method, body, headers: { Authorization: `Bearer ${secret}` } }))
      .status;
  const [none, read, write] = await Promise.all(
    ['products:write', 'settings:read', 'settings:write'].map(key),
  );
  const viewer = (await app.adminToken('viewer' as 'owner')).secret;
  const body = { url: receiver.url, events: ['*'] };
  for (const [secret = '', reads, writes] of [
    [none, 403, 403],
    [read, 200, 403],
    [write, 200, 201],
    [viewer, 200, 403],
  ] as const) {
    expect(await asked(secret, '/webhooks', 'GET')).toBe(reads);
    expect(await asked(secret, `/webhooks/${id}/deliveries`, 'GET')).toBe(reads);
    expect(await asked(secret, '/webhooks/events', 'GET')).toBe(reads);
    expect(await asked(secret, '/webhooks', 'POST', body)).toBe(writes);
  }
  expect((await app.send('/api/store/webhooks', {})).status).toBe(401);
});

it('names the events that can be subscribed to, each with an example', async () => {
  const events = (await client.data('/webhooks/events')) as unknown as { event: string; example: object }[];
  expect(events.map(({ event }) => event)).toEqual([
    'order.created',
    'order.updated',
    'order.shipped',
    'order.completed',
    'order.cancelled',
    'product.created',
    'product.updated',
    'product.deleted',
    'customer.created',
    'customer.updated',
    'return.requested',
    'return.approved',
    'return.received',
    'inventory.low_stock',
  ]);
  const made = await client.data('/products', 'POST', mug());
  const created = events.find(({ event }) => event === 'product.created') as (typeof events)[number];
  const { event_id, ...data } = (created.example as { data: Record<string, unknown> }).data;
  expect(event_id).toMatch(/^evt_/);
  expect(Object.keys(data).sort()).toEqual(Object.keys(made).sort());
  expect(created.example).toMatchObject({ event: 'product.created', timestamp: expect.any(String) });
});
