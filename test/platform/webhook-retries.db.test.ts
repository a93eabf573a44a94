// How often and when a delivery is tried, and what disables a webhook (spec, Delivery; licensing D117 to D119).
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { countQueues } from '#platform/health/index.ts';
import { skipWaiting } from '../../src/platform/webhooks/deliveries/changes.ts';
import { purgeLogs } from '../../src/platform/webhooks/deliveries/purge.ts';
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

let app: TestApp;
let receiver: Receiver;
let productId: string;

beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  receiver = await openReceiver();
  productId = (await app.product()).id;
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
const create = () => app.license({ productId });
const created = (extra: object = {}) =>
  insertWebhook(app.ctx, { url: receiver.url, events: ['LICENSE_CREATED'], ...extra });
const attemptHeaders = () => receiver.received.map(({ headers }) => headers['X-Webhook-Attempt']);
const secondsUntil = (at: unknown) => (Date.parse(String(at)) - Date.parse(app.ctx.now())) / 1000;

test('Webhook delivery: 3 attempts, after about 10 and 30 seconds, with the attempt number', async () => {
  const id = await created();
  await create();
  receiver.otherwise = 503;
  await send();
  const [first] = await outboxOf(app.ctx, id);
  expect(first).toMatchObject({ attempts: 1, lease_token: null });
  expect(secondsUntil(first?.available_at)).toBeGreaterThanOrEqual(9);
  expect(secondsUntil(first?.available_at)).toBeLessThanOrEqual(11);
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([
    { state: 'PENDING', attempts: 1, last_status: 503, next_attempt_at: first?.available_at },
  ]);
  app.clock.advance(8.9);
  await send();
  expect(receiver.received).toHaveLength(1);
  app.clock.advance(2.1);
  await send();
  const [second] = await outboxOf(app.ctx, id);
  expect(secondsUntil(second?.available_at)).toBeGreaterThanOrEqual(27);
  expect(secondsUntil(second?.available_at)).toBeLessThanOrEqual(33);
  app.clock.advance(33);
  await send();
  expect(attemptHeaders()).toEqual(['1', '2', '3']);
  expect(new Set(receiver.received.map(({ headers }) => headers['X-Webhook-Id'])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(await outboxOf(app.ctx, id)).toEqual([]);
  const [delivery] = await deliveriesOf(app.ctx, id);
  expect(delivery).toMatchObject({ state: 'FAILED', attempts: 3, ended_at: app.ctx.now() });
  expect((await attemptsOf(app.ctx, delivery?.id)).map(({ n, status }) => [n, status])).toEqual([
    [1, 503],
    [2, 503],
    [3, 503],
  ]);
  expect(await webhookRow(app.ctx, id)).toMatchObject({ consecutive_failures: 1 });
  expect(await countQueues(app.ctx)).toEqual({ webhooks: 0, emails: 0, inboundSpool: 0, dead: 1 });
});

test.each([400, 404, 410, 429, 301, 302])('%i ends the delivery at its first attempt', async (status) => {
  const id = await created();
  await create();
  receiver.otherwise = (res) => res.writeHead(status, { Location: receiver.url }).end();
  await send();
  app.clock.advance(60);
  await send();
  expect(attemptHeaders()).toEqual(['1']);
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([
    { state: 'FAILED', last_status: status, attempts: 1 },
  ]);
});

test('a connection that breaks is retried, and a later success ends the delivery', async () => {
  const id = await created({ failures: 19 });
  await create();
  receiver.answers = [(_res, req) => req.socket.destroy()];
  await send();
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([
    { state: 'PENDING', last_status: null, last_error: expect.stringContaining('closed the connection') },
  ]);
  expect(await webhookRow(app.ctx, id)).toMatchObject({ consecutive_failures: 19 });
  app.clock.advance(11);
  await send();
  expect(attemptHeaders()).toEqual(['1', '2']);
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([
    { state: 'DELIVERED', attempts: 2, last_error: null },
  ]);
  expect(await webhookRow(app.ctx, id)).toMatchObject({
    consecutive_failures: 0,
    enabled: expect.anything(),
  });
});

test('an answer without a proper status is retried as a failure of the network', async () => {
  const id = await created();
  await create();
  receiver.answers = [(_res, req) => req.socket.end('HTTP/1.1 042 Odd\r\nContent-Length: 0\r\n\r\n')];
  await send();
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([
    { state: 'PENDING', attempts: 1, last_status: null },
  ]);
});

test('an address that the guard refuses fails without a connection, after its three attempts', async () => {
  const id = await created({ url: receiver.url.replace('127.0.0.1', '[::1]') });
  await create();
  for (const seconds of [0, 11, 33]) {
    app.clock.advance(seconds);
    await send();
  }
  expect(receiver.received).toEqual([]);
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([
    { state: 'FAILED', attempts: 3, last_error: expect.stringContaining('blocked address') },
  ]);
});

test('after 20 consecutive failed deliveries the webhook is disabled and what waits is skipped', async () => {
  const id = await created({ failures: 18 });
  for (let i = 0; i < 4; i++) await create();
  // One waits for its second attempt, and one is not sent any more: they are skipped.
  receiver.answers = [500, 400, 400];
  await send();
  const states = (await deliveriesOf(app.ctx, id)).map(({ state }) => state);
  expect(states.toSorted()).toEqual(['FAILED', 'FAILED', 'SKIPPED', 'SKIPPED']);
  expect(await outboxOf(app.ctx, id)).toEqual([]);
  const webhook = await webhookRow(app.ctx, id);
  expect(webhook).toMatchObject({
    disabled_at: app.ctx.now(),
    disabled_reason: '20 deliveries in a row failed',
  });
  expect([false, 0]).toContain(webhook.enabled);
  expect((await app.eventsOf(id)).map(({ type }) => type)).toEqual(['WEBHOOK_DISABLED']);
  await create();
  expect(await deliveriesOf(app.ctx, id)).toHaveLength(4);
});

test('19 failures and one success do not disable; the count begins anew', async () => {
  const id = await created({ failures: 18 });
  receiver.answers = [400, 200];
  for (let i = 0; i < 2; i++) {
    await create();
    await send();
  }
  expect(await webhookRow(app.ctx, id)).toMatchObject({ consecutive_failures: 0, disabled_at: null });
  receiver.otherwise = 400;
  await app.ctx.tx(async (ctx) => ctx.db.knex('webhooks').where({ id }).update({ consecutive_failures: 18 }));
  await create();
  await send();
  expect(await webhookRow(app.ctx, id)).toMatchObject({ consecutive_failures: 19, disabled_at: null });
});

test('one that is disabled while a delivery is on its way skips the next attempt', async () => {
  const id = await created();
  await create();
  receiver.answers = [
    async (res) => {
      await app.ctx.tx(async (ctx) => {
        await ctx.db.knex('webhooks').where({ id }).update({ enabled: false });
        await skipWaiting(ctx, id);
      });
      res.writeHead(500).end();
    },
  ];
  await send();
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([
    { state: 'SKIPPED', attempts: 1, last_status: 500 },
  ]);
  expect(await outboxOf(app.ctx, id)).toEqual([]);
});

test('a delivery that was claimed before its webhook was disabled is skipped and not sent', async () => {
  const id = await created();
  await create();
  await app.ctx.tx(async (ctx) => ctx.db.knex('webhooks').where({ id }).update({ enabled: false }));
  await send();
  expect(receiver.received).toEqual([]);
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([{ state: 'SKIPPED', attempts: 0 }]);
});

test('a webhook that is deleted while a delivery is on its way leaves nothing behind', async () => {
  const id = await created();
  await create();
  receiver.answers = [
    async (res) => {
      await app.ctx.tx(async (ctx) => ctx.db.knex('webhooks').where({ id }).delete());
      res.writeHead(200).end();
    },
  ];
  await send();
  expect(await deliveriesOf(app.ctx, id)).toEqual([]);
  expect(await outboxOf(app.ctx, id)).toEqual([]);
});

test('deliveries that ended are kept for 30 days, those on their way for as long as they need', async () => {
  const id = await created();
  await create();
  await send();
  receiver.otherwise = 500;
  await create();
  await send();
  app.clock.advance(30 * 86_400);
  expect(await purgeLogs.run(app.ctx)).toEqual({ deliveries: 0 });
  app.clock.advance(0.001);
  expect(await purgeLogs.run(app.ctx)).toEqual({ deliveries: 1 });
  const left = await deliveriesOf(app.ctx, id);
  expect(left).toMatchObject([{ state: 'PENDING' }]);
  expect(await attemptsOf(app.ctx, left[0]?.id)).toHaveLength(1);
});
