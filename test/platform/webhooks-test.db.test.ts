// Tests that staff sends to a webhook (licensing 4.2: POST /webhooks/{id}/test).
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { faultsOf, refusalOf } from '../support/refusal.ts';
import {
  deliveriesOf,
  LOOPBACK_PINS,
  openReceiver,
  outboxOf,
  type Receiver,
  webhookRow,
} from '../support/webhooks.ts';

let app: TestApp;
let ctx: Ctx;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  ctx = app.ctx;
  receiver = await openReceiver();
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});
beforeEach(async () => {
  await ctx.tx(async (ctx) => ctx.db.knex('webhooks').delete());
  Object.assign(receiver, { received: [], answers: [], otherwise: 200 });
});

const make = async (input: Partial<webhooks.WebhookCreateInput> = {}) => {
  const wanted = { url: receiver.url, events: ['LICENSE_CREATED', 'LICENSE_REVOKED'], ...input };
  const { webhook, signingSecret } = await webhooks.create(ctx, licenseWebhooks, wanted);
  return { id: webhook.id, secret: signingSecret };
};
const replayOne = (id: string, as = ctx) => webhooks.replayOne(as, licenseWebhooks, id);
const signature = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('test', () => {
  const testIt = (id: string, input?: webhooks.TestInput) =>
    webhooks.sendTest(ctx, licenseWebhooks, id, input);

  test('sends WEBHOOK_TEST at once, signed and marked, and keeps it in the log as a test', async () => {
    const { id, secret } = await make({ headers: { Authorization: 'Bearer of-mine-1234' } });
    const delivery = await testIt(id, { note: 'hello' });
    const [got] = receiver.received as [Receiver['received'][0]];
    expect(got.headers).toMatchObject({
      'X-Webhook-Event': 'WEBHOOK_TEST',
      'X-Webhook-Attempt': '1',
      'X-Webhook-Signature': signature(secret, got.body),
      'X-Webhook-Id': delivery.eventId,
      Authorization: 'Bearer of-mine-1234',
    });
    expect(JSON.parse(got.body)).toMatchObject({
      event: 'WEBHOOK_TEST',
      timestamp: ctx.now(),
      data: { details: { webhookId: id, note: 'hello' } },
      test: true,
    });
    expect(delivery).toMatchObject({
      state: 'DELIVERED',
      isTest: true,
      attempts: 1,
      lastStatus: 200,
      subject: id,
    });
    expect(await webhooks.getDelivery(ctx, licenseWebhooks, delivery.id)).toEqual(delivery);
    expect(JSON.stringify(delivery)).not.toMatch(/of-mine|whs_|sha256=[0-9a-f]/);
    expect((await refusalOf(replayOne(delivery.id))).message).toContain('was a test');
  });

  test('neither success nor failure touches the counter, and a disabled webhook is tested too', async () => {
    const { id } = await make({ enabled: false });
    const setFailures = (failures: number) =>
      ctx.tx(async (ctx) => ctx.db.knex('webhooks').where({ id }).update({ consecutive_failures: failures }));
    await setFailures(19);
    receiver.answers = [503, 302, 204];
    expect(await testIt(id)).toMatchObject({ state: 'FAILED', lastStatus: 503, log: [{ n: 1 }] });
    expect(await testIt(id)).toMatchObject({ state: 'FAILED', lastStatus: 302 });
    expect(await testIt(id)).toMatchObject({ state: 'DELIVERED', lastStatus: 204 });
    expect(await webhookRow(ctx, id)).toMatchObject({ consecutive_failures: 19 });
    expect(await outboxOf(ctx, id)).toEqual([]);
    expect(receiver.received).toHaveLength(3);
  });

  test('a receiver that is not there is an outcome and no error', async () => {
    const { id } = await make({ url: 'http://127.0.0.1:1025/' });
    const delivery = await testIt(id);
    expect(delivery).toMatchObject({ state: 'FAILED', lastStatus: null });
    expect(delivery.lastError).toMatch(/refused/);
  });

  test('another event, with values put in', async () => {
    const { id } = await make({ redactEmail: true });
    const overrides = [
      { path: 'data.status', value: 'EXPIRED' },
      { path: 'data.machineIds.0', value: 'my-machine' },
      { path: 'data.details.machineName', value: null },
    ];
    await testIt(id, { event: 'LICENSE_ACTIVATED', overrides });
    expect(JSON.parse(String(receiver.received.at(-1)?.body))).toMatchObject({
      event: 'LICENSE_ACTIVATED',
      data: { status: 'EXPIRED', machineIds: ['my-machine'], details: { machineName: null } },
    });
    await testIt(id, { event: 'HEARTBEAT_MISSED' });
    expect(JSON.parse(String(receiver.received.at(-1)?.body)).data.details.customerEmail).toBeNull();
  });

  test.each([
    ['event', { event: 'NOPE' }],
    ['event', { event: '__proto__' }],
    ['note', { note: 'x'.repeat(501) }],
    ['overrides', { overrides: [{ path: 'event', value: 'X' }] }],
    ['overrides', { overrides: [{ path: 'test', value: false }] }],
    ['overrides', { overrides: [{ path: 'data.statuss', value: 'X' }] }],
    ['overrides', { overrides: [{ path: '__proto__.polluted', value: true }] }],
    ['overrides', { overrides: [{ path: 'data.constructor.name', value: 'X' }] }],
    ['overrides', { overrides: [{ path: 'data.machineIds.length', value: 0 }] }],
    ['overrides', { overrides: [{ path: '', value: 1 }] }],
    ['overrides', { overrides: Array(51).fill({ path: 'data.status', value: 'X' }) }],
  ] as [string, webhooks.TestInput][])('refuses %s of %j and sends nothing', async (path, input) => {
    const { id } = await make();
    expect(await faultsOf(testIt(id, input))).toEqual([path]);
    expect(receiver.received).toEqual([]);
    expect(await deliveriesOf(ctx, id)).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('printTest signs the request, masks credentials and sends nothing', async () => {
    const { id, secret } = await make({ headers: { Authorization: 'Bearer of-mine-1234' } });
    const request = await webhooks.printTest(ctx, licenseWebhooks, id, { event: 'LICENSE_REVOKED' });
    expect(request.url).toBe(receiver.url);
    expect(request.headers['X-Webhook-Signature']).toBe(signature(secret, request.body));
    expect(request.headers.Authorization).toBe('[redacted]');
    expect(receiver.received).toEqual([]);
    expect(await deliveriesOf(ctx, id)).toEqual([]);
  });
});
