// The log of deliveries, and replays (licensing 4.2, D120; admin: replay of a delivery).
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { rehearsing } from '#kernel/rehearse.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { codeOf, faultsOf } from '../support/refusal.ts';
import {
  deliveriesOf,
  LOOPBACK_PINS,
  openReceiver,
  outboxOf,
  type Receiver,
  webhookWorker,
} from '../support/webhooks.ts';

let app: TestApp;
let ctx: Ctx;
let receiver: Receiver;
let productId: string;

beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  ctx = app.ctx;
  receiver = await openReceiver();
  productId = (await app.product()).id;
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
const send = () => webhookWorker(ctx).idle();
const mint = async (count = 1) => {
  for (let i = 0; i < count; i++) {
    app.clock.advance(1);
    await app.license({ productId });
  }
};
const rows = webhooks.deliveryRows(licenseWebhooks.name);
const list = (
  id: string,
  { states, events, from, to, ...slice }: webhooks.DeliveryFilter & { offset?: number; limit?: number } = {},
) => {
  const filters = { webhookId: [id], state: states, event: events, from, to };
  return rows.page(ctx, { offset: 0, limit: 50, ...slice, filters });
};
const replayOne = (id: string, as = ctx) => webhooks.replayOne(as, licenseWebhooks, id);
const range = (webhookId: string, more: Partial<webhooks.ReplayRange> = {}, as = ctx) =>
  webhooks.replayRange(as, licenseWebhooks, { webhookId, ...more });
const signature = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('the log', () => {
  test('newest first, with attempts and the exact body; filters take what they say', async () => {
    const { id } = await make();
    receiver.answers = [200, 404];
    await mint();
    await send();
    await mint();
    await send();
    const before = ctx.now();
    await mint();
    const all = await list(id);
    expect(all.items.map(({ state }) => state)).toEqual(['PENDING', 'FAILED', 'DELIVERED']);
    expect(all.total).toBe(3);
    const [pending, failed, delivered] = all.items;
    expect(pending?.log).toEqual([]);
    expect(failed?.log).toMatchObject([{ run: 0, n: 1, status: 404, error: null }]);
    expect(delivered?.body).toBe(receiver.received[0]?.body);
    expect(JSON.stringify(all)).not.toMatch(/sha256=[0-9a-f]{8}/);
    const count = async (filter: Parameters<typeof list>[1]) => (await list(id, filter)).total;
    expect(await count({ states: ['FAILED', 'PENDING'] })).toBe(2);
    expect(await count({ events: ['LICENSE_REVOKED'] })).toBe(0);
    expect(await count({ from: pending?.createdAt })).toBe(1);
    expect(await count({ to: pending?.createdAt })).toBe(2);
    expect(await count({ from: delivered?.createdAt, to: before })).toBe(1);
    expect((await list(id, { offset: 1, limit: 1 })).items.map((one) => one.id)).toEqual([failed?.id]);
    expect(await webhooks.getDelivery(ctx, licenseWebhooks, String(failed?.id))).toEqual(failed);
  });

  test('a delivery of another tenant is unknown', async () => {
    const { id } = await make();
    await mint();
    await send();
    const delivery = String((await list(id)).items[0]?.id);
    const other = await app.otherTenant();
    expect(await codeOf(webhooks.getDelivery(other, licenseWebhooks, delivery))).toBe('NOT_FOUND');
    expect(await codeOf(replayOne(delivery, other))).toBe('NOT_FOUND');
    expect(await codeOf(replayOne('dlv_00000000000000000000000000'))).toBe('NOT_FOUND');
    const store = { ...licenseWebhooks, name: 'store' } as const;
    expect(await codeOf(webhooks.getDelivery(ctx, store, delivery))).toBe('NOT_FOUND');
    expect(await outboxOf(ctx, id)).toEqual([]);
  });
});

describe('replay', () => {
  test('sends the same bytes and id with the current secret, attempt 1 anew, also to a disabled webhook', async () => {
    const { id } = await make();
    receiver.answers = [400];
    await mint();
    await send();
    const { signingSecret } = await webhooks.rotateSecret(ctx, licenseWebhooks, id);
    await webhooks.disable(ctx, licenseWebhooks, id);
    const delivery = String((await list(id)).items[0]?.id);
    expect(await replayOne(delivery)).toMatchObject({ id: delivery, state: 'PENDING', run: 1, attempts: 0 });
    await send();
    const [first, again] = receiver.received as [Receiver['received'][0], Receiver['received'][0]];
    expect(again.body).toBe(first.body);
    expect(again.headers).toMatchObject({
      'X-Webhook-Id': first.headers['X-Webhook-Id'],
      'X-Webhook-Attempt': '1',
      'X-Webhook-Redelivery': 'true',
      'X-Webhook-Signature': signature(signingSecret, first.body),
      'X-Webhook-Signature-Previous': first.headers['X-Webhook-Signature'],
    });
    const record = await webhooks.getDelivery(ctx, licenseWebhooks, delivery);
    expect(record).toMatchObject({ state: 'DELIVERED', run: 1 });
    expect(record.log.map(({ run, n, status }) => [run, n, status])).toEqual([
      [0, 1, 400],
      [1, 1, 200],
    ]);
    expect(await app.eventsOf(id)).toContainEqual({
      type: 'WEBHOOK_REPLAYED',
      data: {
        name: '127.0.0.1:'.concat(new URL(receiver.url).port),
        delivery,
        event: 'LICENSE_CREATED',
        queued: 1,
      },
    });
  });

  test('one on its way is refused, one by one and in a list, where the others are queued', async () => {
    const { id } = await make();
    await mint(2);
    await send();
    await mint();
    const [pending, second, first] = (await list(id)).items.map((one) => one.id) as [string, string, string];
    expect(await codeOf(replayOne(pending))).toBe('CONFLICT');
    const report = await webhooks.replay(ctx, licenseWebhooks, [first, pending, 'dlv_nope', second, first]);
    expect(report.queued).toBe(2);
    expect(report.skipped.map(({ id, code }) => [id, code])).toEqual([
      [pending, 'CONFLICT'],
      ['dlv_nope', 'NOT_FOUND'],
      [first, 'CONFLICT'],
    ]);
    expect(report.skipped[0]?.reason).toContain('still being delivered');
    const many = Array.from({ length: 1001 }, () => first);
    expect(await faultsOf(webhooks.replay(ctx, licenseWebhooks, many))).toEqual(['ids']);
  });

  test('a rehearsal queues nothing', async () => {
    const { id } = await make();
    await mint();
    await send();
    const delivery = String((await list(id)).items[0]?.id);
    const plan = await webhooks.replayOne(rehearsing(ctx), licenseWebhooks, delivery);
    expect(plan).toMatchObject({ state: 'PENDING', run: 1 });
    expect((await list(id)).items[0]).toMatchObject({ state: 'DELIVERED', run: 0 });
    expect(await outboxOf(ctx, id)).toEqual([]);
  });
});

describe('replay of a range', () => {
  test('takes what ended within it, oldest first, in steps of a hundred, and leaves what is on its way', async () => {
    const { id } = await make();
    await mint(2);
    await send();
    receiver.answers = [400];
    await mint();
    await send();
    await mint();
    const all = [...(await list(id)).items].reverse();
    const from = all[1]?.createdAt;
    expect(await range(id, { from }, rehearsing(ctx))).toEqual({ queued: 2, pending: 1, left: 0 });
    expect(await outboxOf(ctx, id)).toHaveLength(1);
    expect(await range(id, { from, states: ['FAILED'] })).toEqual({ queued: 1, pending: 1, left: 0 });
    expect(await range(id, { limit: 1 })).toEqual({ queued: 1, pending: 2, left: 1 });
    expect((await deliveriesOf(ctx, id)).map(({ state, run }) => [state, run])).toEqual([
      ['PENDING', 1],
      ['DELIVERED', 0],
      ['PENDING', 1],
      ['PENDING', 0],
    ]);
    expect(await range(id, { events: ['LICENSE_REVOKED'] })).toEqual({ queued: 0, pending: 0, left: 0 });
    const told = (await app.eventsOf(id)).filter(({ type }) => type === 'WEBHOOK_REPLAYED');
    expect(told.map(({ data }) => data.queued)).toEqual([1, 1]);
  });

  test('of many: every one once, a line of the timeline for each step, tests not among them', async () => {
    const { id } = await make();
    await mint();
    await send();
    await webhooks.sendTest(ctx, licenseWebhooks, id);
    await fill(id, 250);
    app.clock.advance(1);
    expect(await range(id, {}, rehearsing(ctx))).toEqual({ queued: 251, pending: 0, left: 0 });
    expect(await range(id, { limit: 201 })).toEqual({ queued: 201, pending: 0, left: 50 });
    expect(await range(id)).toEqual({ queued: 50, pending: 201, left: 0 });
    expect(await range(id)).toEqual({ queued: 0, pending: 251, left: 0 });
    expect(await outboxOf(ctx, id)).toHaveLength(251);
    const told = (await app.eventsOf(id)).filter(({ type }) => type === 'WEBHOOK_REPLAYED');
    expect(told.map(({ data }) => data.queued).sort()).toEqual([1, 100, 100, 50]);
  });

  test('of two people at once queues every delivery once', async () => {
    const { id } = await make();
    await fill(id, 250);
    app.clock.advance(1);
    const reports = await Promise.all([range(id), range(id), range(id)]);
    expect(reports.reduce((sum, { queued }) => sum + queued, 0)).toBe(250);
    expect(await outboxOf(ctx, id)).toHaveLength(250);
    expect((await deliveriesOf(ctx, id)).every(({ run, state }) => run === 1 && state === 'PENDING')).toBe(
      true,
    );
  });

  test('of a webhook that is deleted meanwhile ends, and nothing is left that waits', async () => {
    const { id } = await make();
    await fill(id, 250);
    app.clock.advance(1);
    const [replayed] = await Promise.allSettled([range(id), webhooks.remove(ctx, licenseWebhooks, id)]);
    if (replayed.status === 'rejected') expect(replayed.reason).toMatchObject({ code: 'NOT_FOUND' });
    await send();
    expect([await deliveriesOf(ctx, id), await outboxOf(ctx, id), receiver.received]).toEqual([[], [], []]);
  });

  test.each([
    ['from', { from: '2026-03-02T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' }],
    ['from', { from: '2099-01-01T00:00:00.000Z' }],
    ['events', { events: ['NOPE'] }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 100_001 }],
    ['limit', { limit: 1.5 }],
  ])('refuses %s of %j', async (path, more) => {
    const { id } = await make();
    expect(await faultsOf(range(id, more))).toEqual([path]);
  });

  /** Deliveries that failed, all at one moment. */
  const fill = (webhookId: string, count: number) =>
    ctx.tx(async (ctx) => {
      const at = ctx.now();
      for (let i = 0; i < count; i++) {
        await ctx.db.knex('webhook_deliveries').insert({
          id: ctx.newId('dlv'),
          webhook_id: webhookId,
          tenant_id: ctx.tenantId,
          event_id: ctx.newId('evt'),
          event: 'LICENSE_CREATED',
          subject: 'lic_1',
          body: '{}',
          state: 'FAILED',
          created_at: at,
          ended_at: at,
        });
      }
    });
});
