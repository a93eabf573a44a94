// Webhooks of the shop by its API alone, with a receiver on the loopback interface (storefront-api.md, AM; storefront-domain 18).
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { member } from '../platform/panel/staff.ts';
import { type OrderShop, openOrderShop } from '../storefront/order-shop.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { LOOPBACK_PINS, openReceiver, type Receiver, webhookWorker } from '../support/webhooks.ts';

type Item = Record<string, unknown>;

let shop: OrderShop;
let receiver: Receiver;
let mailServer: MailServer;
beforeAll(async () => {
  mailServer = await openMailServer();
  receiver = await openReceiver();
  shop = await openOrderShop({
    pins: {
      ...LOOPBACK_PINS,
      store_name: 'The Shop',
      smtp_host: '127.0.0.1',
      smtp_port: String(mailServer.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
    },
  });
});
afterAll(async () => {
  await shop.app.close();
  await receiver.close();
  await mailServer.close();
});
beforeEach(() => {
  Object.assign(receiver, { received: [], answers: [], otherwise: 200 });
});

const api = (path: string, method = 'GET', body?: unknown) => shop.staff.data(path, method, body);
const listed = async (path: string) =>
  (await shop.staff.send(path)).body as unknown as { data: Item[] } & Item;
const send = () => webhookWorker(shop.app.ctx).idle();
const create = (more: object = {}) =>
  api('/webhooks', 'POST', { url: receiver.url, events: ['*'], description: 'Warehouse', ...more });
const told = (event: string) =>
  receiver.received
    .filter(({ headers }) => headers['X-Webhook-Event'] === event)
    .map(({ body }) => JSON.parse(body));

it('POST, GET, PATCH and DELETE of a webhook; its secret is in the first answer alone', async () => {
  const made = await create({ events: ['order.created', 'product.deleted'] });
  expect(made).toMatchObject({ active: true, consecutive_failures: 0, disabled_at: null });
  expect(String(made.secret).length).toBeGreaterThan(20);
  expect(await api(`/webhooks/${made.id}`)).not.toHaveProperty('secret');
  expect(JSON.stringify(await listed('/webhooks'))).not.toContain(String(made.secret));
  const changed = await api(`/webhooks/${made.id}`, 'PATCH', { description: 'Books', active: false });
  expect(changed).toMatchObject({ description: 'Books', active: false });
  expect(await shop.staff.refusal('/webhooks', 'POST', { url: receiver.url })).toEqual([
    400,
    'VALIDATION_MISSING_FIELD',
    undefined,
  ]);
  expect((await shop.staff.refusal('/webhooks', 'POST', { url: receiver.url, events: ['no.such'] }))[0]).toBe(
    400,
  );
  expect(await api(`/webhooks/${made.id}`, 'DELETE')).toEqual({ deleted: true });
  expect(await shop.staff.refusal(`/webhooks/${made.id}`, 'GET')).toEqual([404, 'NOT_FOUND', undefined]);
});

it('tells of a whole order as staff see it, without secrets; its payment is one order.updated at most', async () => {
  const { id: webhook, secret } = await create({
    events: ['order.created', 'order.updated', 'order.shipped'],
  });
  const placed = await shop.placed(await shop.stocked(5), 2, 'offline', { email: 'buyer@mail.example' });
  await send();
  const [created] = told('order.created');
  const seen = await api(`/orders/${placed.id}`);
  for (const field of Object.keys(created.data).filter(
    (name) => !['event_id', 'payments', 'refunds'].includes(name),
  ))
    expect([field, created.data[field]]).toEqual([field, seen[field]]);
  const [shown] = seen.payments as Item[];
  expect(created.data.payments).toEqual(
    shown === undefined
      ? []
      : [expect.objectContaining({ id: shown.id, status: shown.status, amount_cents: shown.amount_cents })],
  );
  const text = JSON.stringify(created);
  expect(text).not.toMatch(/token|fingerprint|source_hash|idempotency|transaction/);
  receiver.received.length = 0;
  await api(`/orders/${placed.id}/payments`, 'POST', {
    amount_cents: placed.total_cents,
    method: 'cash',
  });
  await send();
  expect(told('order.updated').map(({ data }) => data.payment_status)).toEqual(['paid']);
  await api(`/orders/${placed.id}/shipments`, 'POST', { ship_now: true });
  await send();
  expect(told('order.shipped')[0].data).toMatchObject({ id: placed.id, status: 'shipped' });
  const body = receiver.received[0]?.body ?? '';
  expect(receiver.received[0]?.headers['X-Webhook-Signature']).toBe(
    `sha256=${createHmac('sha256', String(secret)).update(body).digest('hex')}`,
  );
  await api(`/webhooks/${webhook}`, 'DELETE');
});

it('deliveries are listed by status and event, shown with their attempts, and sent again with the same id and body', async () => {
  const { id } = await create({ events: ['order.created'] });
  receiver.answers = [500];
  await shop.placed(await shop.stocked(5), 1, 'fake');
  await send();
  const pending = await listed(`/webhooks/${id}/deliveries?status=pending&event=order.created`);
  expect(pending.data).toHaveLength(1);
  expect(pending.pagination).toMatchObject({ total: 1 });
  const delivery = String(pending.data[0]?.id);
  expect(await api(`/webhook-deliveries/${delivery}`)).toMatchObject({
    status: 'pending',
    attempts: [{ no: 1, status: 500 }],
  });
  shop.app.clock.advance(34);
  await send();
  expect(await api(`/webhook-deliveries/${delivery}`)).toMatchObject({
    status: 'delivered',
    attempts: [
      { no: 1, status: 500 },
      { no: 2, status: 200 },
    ],
  });
  await api(`/webhook-deliveries/${delivery}/redeliver`, 'POST');
  await send();
  const [first, , again] = receiver.received;
  expect([again?.body, again?.headers['X-Webhook-Id']]).toEqual([
    first?.body,
    first?.headers['X-Webhook-Id'],
  ]);
  expect(again?.headers).toMatchObject({ 'X-Webhook-Attempt': '1', 'X-Webhook-Redelivery': 'true' });
  await api(`/webhooks/${id}`, 'DELETE');
});

it('a rotated secret signs, and for 24 hours the old one beside it', async () => {
  const { id, secret } = await create({ events: ['order.created'] });
  const { secret: next } = await api(`/webhooks/${id}/rotate-secret`, 'POST');
  expect(next).not.toBe(secret);
  await api(`/webhooks/${id}/test`, 'POST', { event: 'order.created' });
  const signed = (key: unknown, body = '') =>
    `sha256=${createHmac('sha256', String(key)).update(body).digest('hex')}`;
  const [{ headers, body } = { headers: {} as Record<string, string>, body: '' }] = receiver.received;
  expect(headers['X-Webhook-Signature']).toBe(signed(next, body));
  expect(headers['X-Webhook-Signature-Previous']).toBe(signed(secret, body));
  shop.app.clock.advance(86_401);
  await api(`/webhooks/${id}/test`, 'POST');
  expect(receiver.received[1]?.headers['X-Webhook-Signature-Previous']).toBeUndefined();
  expect(receiver.received[1]?.headers['X-Webhook-Event']).toBe('webhook.test');
  await api(`/webhooks/${id}`, 'DELETE');
});

it('the events have samples, of which each that is told has the fields', async () => {
  const { data } = await listed('/webhooks/events');
  const example = data.find(({ event }) => event === 'order.created')?.example as { data: Item };
  const { id } = await create();
  await shop.placed(await shop.stocked(5), 1, 'fake');
  await send();
  expect(Object.keys(told('order.created')[0].data).toSorted()).toEqual(Object.keys(example.data).toSorted());
  await api(`/webhooks/${id}`, 'DELETE');
});

it('20 failed deliveries in a row disable it, staff are written to, what waits is skipped, PATCH active begins anew', async () => {
  const { email } = await member(shop.app, ['webhooks:read', 'webhooks:write']);
  await api('/settings', 'PATCH', { webhook_max_attempts: '1' });
  const { id } = await create({ events: ['product.created'] });
  receiver.otherwise = 503;
  for (let n = 1; n <= 20; n += 1) {
    await api('/products', 'POST', { title: `Thing ${id} ${n}`, type: 'physical' });
    await send();
  }
  await api('/settings', 'PATCH', { webhook_max_attempts: '8' });
  expect(await api(`/webhooks/${id}`)).toMatchObject({
    active: false,
    consecutive_failures: 20,
    disabled_reason: '20 deliveries in a row failed',
  });
  expect((await listed(`/webhooks/${id}/deliveries?status=failed`)).pagination).toMatchObject({ total: 20 });
  await mailWorker(shop.app.ctx).idle();
  const [mail] = mailServer.to(email);
  expect(mail?.subject).toBe('A webhook was disabled');
  expect(mail?.text).toContain('20 deliveries in a row failed');
  expect(mail?.text).toContain(`/store/settings/webhooks/${id}`);
  receiver.otherwise = 200;
  receiver.received.length = 0;
  expect(await api(`/webhooks/${id}`, 'PATCH', { active: true })).toMatchObject({
    active: true,
    consecutive_failures: 0,
    disabled_at: null,
  });
  await send();
  expect(receiver.received).toEqual([]);
  // Staff who disable one know of it.
  await api(`/webhooks/${id}`, 'PATCH', { active: false });
  shop.app.clock.advance(4000);
  await mailWorker(shop.app.ctx).idle();
  expect(mailServer.to(email)).toHaveLength(1);
});
