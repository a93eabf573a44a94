// Every row of the specification about outbound webhooks: request headers, delivery, state, limit.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import {
  deliveriesOf,
  LOOPBACK_PINS,
  openReceiver,
  outboxOf,
  type Receiver,
  webhookWorker,
} from '../support/webhooks.ts';
import { row } from './rows.ts';
import { MACHINE, openWorld, type World } from './world.ts';

let world: World;
let receiver: Receiver;
let webhook: { id: string; secret: string };
beforeAll(async () => {
  [world, receiver] = await Promise.all([openWorld({ pins: LOOPBACK_PINS }), openReceiver()]);
});
afterAll(() => Promise.all([world.close(), receiver.close()]));

beforeEach(async () => {
  if (webhook) await webhooks.remove(world.ctx, licenseWebhooks, webhook.id);
  Object.assign(receiver, { received: [], answers: [], otherwise: 200 });
  const made = await webhooks.create(world.ctx, licenseWebhooks, { url: receiver.url });
  webhook = { id: made.webhook.id, secret: made.signingSecret };
});

const send = () => webhookWorker(world.ctx).idle();
const isEnabled = async () => (await webhooks.get(world.ctx, licenseWebhooks, webhook.id)).enabled;
const lastReceived = () => receiver.received.at(-1) as Receiver['received'][number];
const attempts = () => receiver.received.map(({ headers }) => headers['X-Webhook-Attempt']);
const waitOf = async () => {
  const [entry] = await outboxOf(world.ctx, webhook.id);
  return (Date.parse(String(entry?.available_at)) - world.clock.epochMs()) / 1000;
};

/** One event reaches the receiver once. */
async function deliverOne(): Promise<Receiver['received'][number]> {
  await world.license();
  await send();
  expect(receiver.received).toHaveLength(1);
  return lastReceived();
}

it(row('payload', 'event, timestamp and data'), async () => {
  const { headers, body } = await deliverOne();
  const payload = JSON.parse(String(body));
  expect(Object.keys(payload)).toEqual(expect.arrayContaining(['event', 'timestamp', 'data']));
  expect(payload).toMatchObject({
    event: headers['X-Webhook-Event'],
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { licenseId: expect.stringMatching(/^lic_/) },
  });
});

it(row('header', 'Content-Type'), async () => {
  expect((await deliverOne()).headers['Content-Type']).toBe('application/json');
});

it(row('header', 'X-Webhook-Signature'), async () => {
  const { headers, body } = await deliverOne();
  const digest = createHmac('sha256', webhook.secret).update(body).digest('hex');
  expect(headers['X-Webhook-Signature']).toBe(`sha256=${digest}`);
});

it(row('header', 'X-Webhook-Event'), async () => {
  const { headers, body } = await deliverOne();
  expect([headers['X-Webhook-Event'], JSON.parse(body).event]).toEqual([
    'LICENSE_CREATED',
    'LICENSE_CREATED',
  ]);
});

it(row('header', 'X-Webhook-Attempt'), async () => {
  receiver.answers = [500];
  await deliverOne();
  world.clock.advance(11);
  await send();
  expect(attempts()).toEqual(['1', '2']);
});

it(row('header', 'User-Agent'), async () => {
  expect((await deliverOne()).headers['User-Agent']).toBe('appctl/1.0');
});

it(row('delivery', '1. attempts at once, after about 10 seconds, after about 30 seconds'), async () => {
  receiver.otherwise = 500;
  await deliverOne();
  for (const seconds of [10, 30]) {
    const wait = await waitOf();
    expect(wait).toBeGreaterThanOrEqual(seconds * 0.9);
    expect(wait).toBeLessThanOrEqual(seconds * 1.1);
    world.clock.advance(wait);
    await send();
  }
  expect(attempts()).toEqual(['1', '2', '3']);
  expect(await outboxOf(world.ctx, webhook.id)).toEqual([]);
  expect(await deliveriesOf(world.ctx, webhook.id)).toMatchObject([{ state: 'FAILED', attempts: 3 }]);
});

it(row('delivery', '2. only 5xx responses and network errors are retried'), async () => {
  const hangUp: Receiver['otherwise'] = (_res, req) => req.socket.destroy();
  for (const [answer, isRetried] of [
    [500, true],
    [503, true],
    [599, true],
    [hangUp, true],
    [400, false],
    [404, false],
    [429, false],
    [499, false],
    [301, false],
  ] as const) {
    receiver.answers = [answer];
    await world.license();
    await send();
    const waiting = await outboxOf(world.ctx, webhook.id);
    expect([answer, waiting.length]).toEqual([answer, isRetried ? 1 : 0]);
    world.clock.advance(11);
    await send();
  }
});

it(row('delivery', '3. each attempt times out after 10 seconds'), async () => {
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  receiver.otherwise = () => arrived();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isOver = false;
    const tested = webhooks
      .sendTest(world.ctx, licenseWebhooks, webhook.id, {})
      .finally(() => (isOver = true));
    await arrival;
    vi.advanceTimersByTime(9_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await tested).toMatchObject({
      state: 'FAILED',
      lastStatus: null,
      lastError: 'no answer within 10 s',
    });
  } finally {
    vi.useRealTimers();
  }
});

it(
  row('delivery', '4. after 20 consecutive failures across all events the webhook is disabled'),
  async () => {
    receiver.otherwise = 400;
    const { key } = await world.license({ maxActivations: 100 });
    for (let n = 1; n < 19; n++)
      await world.call('activate', { licenseKey: key, machineId: `${MACHINE}-${n}` });
    await send();
    // 19 of two kinds of events, then one success: the count begins anew.
    receiver.answers = [200];
    await world.license();
    await send();
    expect([receiver.received.length, await isEnabled()]).toEqual([20, true]);
    for (let n = 0; n < 19; n++) await world.license();
    await send();
    expect(await isEnabled()).toBe(true);
    await world.license();
    await send();
    expect(await isEnabled()).toBe(false);
  },
);

it(row('delivery', '5. private IP addresses and DNS rebinding are blocked'), async () => {
  for (const url of ['https://10.0.0.1/', 'https://169.254.169.254/', 'https://[::1]/', 'https://10.1/']) {
    const made = webhooks.create(world.ctx, licenseWebhooks, { url });
    await expect(made).rejects.toMatchObject({ code: 'VALIDATION_ERROR', status: 400 });
  }
  // A name that was public when it was saved and is private now: as a rebinding server has it.
  await world.ctx.tx((ctx) =>
    ctx.db.knex('webhooks').where({ id: webhook.id }).update({ url: 'https://[::1]:4443/' }),
  );
  await world.license();
  await send();
  const [delivery] = await deliveriesOf(world.ctx, webhook.id);
  expect(delivery).toMatchObject({
    state: 'PENDING',
    last_error: expect.stringContaining('blocked address'),
  });
});

it(row('state', 'webhook: 20 consecutive failed deliveries -> disabled'), async () => {
  receiver.otherwise = 404;
  for (let n = 0; n < 22; n++) await world.license();
  await send();
  expect(await isEnabled()).toBe(false);
  const states = (await deliveriesOf(world.ctx, webhook.id)).map(({ state }) => state);
  expect(states.filter((state) => state === 'FAILED').length).toBeGreaterThanOrEqual(20);
  expect(states).not.toContain('PENDING');
  await webhooks.enable(world.ctx, licenseWebhooks, webhook.id);
  receiver.otherwise = 200;
  const before = receiver.received.length;
  await world.license();
  await send();
  expect(receiver.received.length).toBe(before + 1);
});

it(row('limit', 'Webhook delivery'), async () => {
  expect(licenseWebhooks.plan.delaysSeconds).toHaveLength(3);
  receiver.otherwise = 502;
  for (let n = 0; n < 20; n++) await world.license();
  for (const seconds of [0, 11, 33]) {
    world.clock.advance(seconds);
    await send();
  }
  expect(receiver.received).toHaveLength(60);
  expect(await isEnabled()).toBe(false);
});
