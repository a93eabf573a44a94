// The inbox after the first attempt: retries, reprocessing, partly mapped purchases, what the retention leaves (D103, 4.5).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { inbox as inboxCapability } from '#licensing/purchases/inbox/capability.ts';
import * as inbox from '#licensing/purchases/inbox/index.ts';
import { simulate } from '#licensing/purchases/inbox/simulate.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { failingCtx } from '../support/failing-ctx.ts';
import { checkout, hmac, openShop, paymentIntent, purchase, type Shop, secret } from '../support/inbound.ts';
import { runJob } from '../support/jobs.ts';
import { codeOf } from '../support/refusal.ts';

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startApp();
  shop = await openShop(app, 'GENERIC');
  await shop.map('price_1');
});
afterAll(() => app.close());

const retry = (ctx = app.ctx) => inboxCapability.jobs?.find(({ name }) => name === 'inbound-retry')?.run(ctx);
const eventOf = async (id: string, of = shop) => {
  const found = (await of.events()).find(({ processorEventId }) => processorEventId === id);
  if (!found) throw new Error(`no event ${id}`);
  return found;
};
const ofOrder = async (order: string, of = shop) =>
  (await of.licenses()).filter(({ order_id }) => order_id === order);

/** Receives with a database whose transactions fail from the second on: the event is stored and cannot be processed. */
async function receiveFailing(id: string): Promise<unknown> {
  const ctx = failingCtx(app.ctx, (n) => (n === 1 ? null : new Error('out of order')));
  return receiveWith(ctx, id);
}

const receiveWith = (ctx: Ctx, id: string) => {
  const bytes = Buffer.from(JSON.stringify(purchase(id)));
  const headers = { 'x-signature': hmac(secret, bytes).toString('hex') };
  return inbox.receive(ctx, { configId: shop.id, raw: { bytes }, headers, ip: '127.0.0.1' });
};

describe('an event whose processing fails', () => {
  it('is answered 200, queued, and made good by the job after a minute', async () => {
    expect(await receiveFailing('late')).toMatchObject({ success: true, received: true, queued: true });
    expect(await eventOf('late')).toMatchObject({ status: 'RECEIVED', licensesCreated: 0 });
    app.clock.advance(59);
    expect(await retry()).toEqual({ ended: 0, waiting: 0 });
    app.clock.advance(1);
    const { result, changes } = await app.changesBy(async () => retry());
    expect(result).toEqual({ ended: 1, waiting: 0 });
    expect(changes.events).toEqual(['CUSTOMER_CREATED', 'LICENSE_CREATED']);
    expect(await eventOf('late')).toMatchObject({ status: 'PROCESSED', licensesCreated: 1 });
  });
  it('is tried after 1, 5 and 30 minutes and 2 hours, then fails visibly, and can be reprocessed', async () => {
    const broken = purchase('broken');
    await whileMintingFails(async () => {
      expect((await shop.send(broken)).body).toMatchObject({ queued: true, licensesCreated: 0 });
      for (const seconds of [60, 300, 1800, 7200]) {
        const { attempts, nextAttemptAt } = await eventOf('broken');
        expect(Date.parse(nextAttemptAt ?? '') - app.clock.epochMs()).toBe(seconds * 1000);
        expect(attempts).toBe([60, 300, 1800, 7200].indexOf(seconds) + 1);
        app.clock.advance(seconds);
        await retry();
      }
      expect(await eventOf('broken')).toMatchObject({
        status: 'FAILED',
        reason: 'PROCESSING_FAILED',
        nextAttemptAt: null,
      });
    });
    const { id } = await eventOf('broken');
    expect(await inbox.reprocess(app.ctx, id)).toMatchObject({
      licensesCreated: 1,
      event: { status: 'PROCESSED' },
    });
  });
});

/** Nothing can be minted while a table is away. */
async function whileMintingFails(work: () => Promise<void>): Promise<void> {
  const rename = (from: string, to: string) =>
    app.instance.database.transaction(({ knex }) => knex.schema.renameTable(from, to));
  await rename('license_idempotency', 'license_idempotency_away');
  try {
    await work();
  } finally {
    await rename('license_idempotency_away', 'license_idempotency');
  }
}

describe('a product that is mapped later', () => {
  it('unmapped, mapped, reprocessed: one license; again: nothing', async () => {
    expect((await shop.send(purchase('u1', { items: [{ productId: 'later' }] }))).body).toMatchObject({
      reason: 'UNMAPPED',
    });
    const { id } = await eventOf('u1');
    expect((await inbox.reprocess(app.ctx, id)).event).toMatchObject({
      status: 'FAILED',
      reason: 'UNMAPPED',
    });
    await shop.map('later');
    const { result, changes } = await app.changesBy(() => inbox.reprocess(app.ctx, id));
    expect(result).toMatchObject({
      licensesCreated: 1,
      event: { status: 'PROCESSED', reason: null, error: null },
    });
    expect(changes.events).toEqual(['INBOUND_EVENT_REPROCESSED', 'LICENSE_CREATED']);
    const again = await app.changesBy(() => inbox.reprocess(app.ctx, id));
    expect(again.result.licensesCreated).toBe(0);
    expect(again.changes).toEqual({ events: ['INBOUND_EVENT_REPROCESSED'], rows: {} });
    expect(await ofOrder('order-u1')).toHaveLength(1);
  });
  it('reprocessed: the timeline says so, and why, in the transaction that makes the license', async () => {
    await shop.send(purchase('told', { items: [{ productId: 'told' }] }));
    await shop.map('told');
    const { id } = await eventOf('told');
    const cutAfterOne = failingCtx(app.ctx, (n) => (n === 1 ? null : new Error('killed')));
    expect(await inbox.reprocess(cutAfterOne, id, { note: 'mapped today' })).toMatchObject({
      licensesCreated: 1,
    });
    expect(await app.eventsOf(id)).toMatchObject([
      {
        type: 'INBOUND_EVENT_REPROCESSED',
        data: { status: 'PROCESSED', licensesCreated: 1, note: 'mapped today' },
      },
    ]);
  });
  it('and sent again by the processor: due at once', async () => {
    const event = purchase('u2', { items: [{ productId: 'again' }] });
    await shop.send(event);
    await shop.map('again');
    expect((await shop.send(event)).body).toMatchObject({ success: true, duplicate: true, queued: true });
    await retry();
    expect(await ofOrder('order-u2')).toHaveLength(1);
  });
  it('of a purchase that was mapped in part: the rest is made, and only the rest', async () => {
    const items = [{ productId: 'price_1', quantity: 2 }, { productId: 'part-a' }, { productId: 'part-b' }];
    expect((await shop.send(purchase('u3', { items, payment_id: 'pay-u3' }))).body).toMatchObject({
      licensesCreated: 2,
    });
    const { id, status, reason, unmapped } = await eventOf('u3');
    expect([status, reason, unmapped]).toEqual(['PROCESSED', 'PARTLY_UNMAPPED', ['part-a', 'part-b']]);
    await shop.map('part-b');
    const made = await inbox.reprocess(app.ctx, id);
    expect(made).toMatchObject({ licensesCreated: 1, event: { licensesCreated: 3, unmapped: ['part-a'] } });
    expect((await inbox.reprocess(app.ctx, id)).licensesCreated).toBe(0);
    await shop.map('part-a');
    const [first, second] = await Promise.all([inbox.reprocess(app.ctx, id), inbox.reprocess(app.ctx, id)]);
    expect(first.licensesCreated + second.licensesCreated).toBe(1);
    expect(await eventOf('u3')).toMatchObject({ reason: null, unmapped: [], licensesCreated: 4 });
    expect(await ofOrder('order-u3')).toHaveLength(4);
    expect((await inbox.getInboundEvent(app.ctx, id)).licenses).toHaveLength(4);
  });
  it('one event of the payment made the license: the other needs no mapping any more', async () => {
    const stripe = await openShop(app, 'STRIPE');
    await stripe.map('price_1');
    expect((await stripe.send(paymentIntent('twin', { metadata: {} }))).body).toMatchObject({
      reason: 'UNMAPPED',
    });
    expect((await stripe.send(checkout('twin'))).body).toMatchObject({ licensesCreated: 1 });
    const twin = await eventOf('evt_pi_twin', stripe);
    expect([twin.status, twin.reason]).toEqual(['IGNORED', 'DUPLICATE_PAYMENT']);
    expect((await inbox.reprocess(app.ctx, twin.id)).licensesCreated).toBe(0);
  });
  it.each([
    ['no product', { metadata: {} }],
    ['no e-mail address', { receipt_email: null }],
    ['a quantity that cannot be', { metadata: { price_1: 1, price_id: 'price_1', quantity: '101' } }],
  ])('%s in the other event is nobody’s task, whichever came first', async (what, extra) => {
    const stripe = await openShop(app, 'STRIPE');
    await stripe.map('price_1');
    const [before, after] = [`${what.length}-before`, `${what.length}-after`];
    expect((await stripe.send(paymentIntent(before, extra))).body).toMatchObject({ success: false });
    await stripe.send(checkout(before));
    await stripe.send(checkout(after));
    const duplicate = { success: true, duplicate: true, licensesCreated: 0 };
    expect((await stripe.send(paymentIntent(after, extra))).body).toMatchObject(duplicate);
    for (const id of [before, after]) {
      const { status, reason } = await eventOf(`evt_pi_${id}`, stripe);
      expect([status, reason]).toEqual(['IGNORED', 'DUPLICATE_PAYMENT']);
    }
    expect(await stripe.licenses()).toHaveLength(2);
  });
});

it('an event that a clock put off too far before it was set back is taken up at once (M20)', async () => {
  await receiveFailing('wrong-clock');
  const { id } = await eventOf('wrong-clock');
  const putOff = (seconds: number) =>
    app.ctx.tx(async (ctx) => {
      const at = new Date(app.clock.epochMs() + seconds * 1000).toISOString();
      await ctx.db.knex('license_inbound_events').where({ id }).update({ next_attempt_at: at });
    });
  await putOff(7260);
  expect(await retry()).toEqual({ ended: 0, waiting: 0 });
  await putOff(7261);
  expect(await retry()).toEqual({ ended: 1, waiting: 0 });
  expect(await ofOrder('order-wrong-clock')).toHaveLength(1);
});

it('an event of a suspended tenant is kept, and made good afterwards', async () => {
  const other = await app.otherTenant();
  const theirs = await openShop(app, 'GENERIC', other);
  await theirs.map('price_1');
  await tenants.suspend(app.ctx, other.tenantId);
  const { result, changes } = await app.changesBy(() => theirs.send(purchase('closed')));
  expect(result.body).toMatchObject({ success: false, received: true, reason: 'TENANT_SUSPENDED' });
  expect(changes).toEqual({
    events: [],
    rows: { license_inbound_events: '+1', license_inbound_configs: '~1' },
  });
  await tenants.reinstate(app.ctx, other.tenantId);
  const { id } = await eventOf('closed', theirs);
  expect(await codeOf(inbox.reprocess(app.ctx, id))).toBe('NOT_FOUND');
  expect((await inbox.reprocess(other, id)).licensesCreated).toBe(1);
});

it('what a configuration reported can be made good only while it is there', async () => {
  const gone = await openShop(app, 'GENERIC');
  await gone.send(purchase('gone'));
  const { id } = await eventOf('gone', gone);
  await integrations.remove(app.ctx, gone.id);
  expect((await inbox.reprocess(app.ctx, id)).event).toMatchObject({
    status: 'FAILED',
    reason: 'CONFIG_NOT_FOUND',
  });
});

it('a simulation says what would come of an event, and writes nothing', async () => {
  const items = [{ productId: 'price_1', quantity: 2 }, { productId: 'nope' }];
  const told = (event: unknown) => simulate(app.ctx, shop.id, event);
  const { result, changes } = await app.changesBy(() => told(purchase('sim', { items })));
  expect(changes).toEqual(nothing);
  expect(result).toMatchObject({
    event: { id: 'sim', kind: 'PURCHASE' },
    status: 'PROCESSED',
    matched: [{ externalProductId: 'price_1' }],
    unmapped: ['nope'],
    wouldCreate: [{ orderId: 'order-sim', customerEmail: 'buyer@x.test' }, { orderId: 'order-sim' }],
  });
  expect(await told(purchase('sim', { event: 'payment.failed' }))).toMatchObject({
    status: 'IGNORED',
    wouldCreate: [],
  });
  expect(await told(purchase('sim', { items: [] }))).toMatchObject({
    status: 'FAILED',
    reason: 'UNMAPPED',
  });
  for (const wrong of [undefined, null, 7, 'text', [], {}])
    expect(await codeOf(told(wrong))).toBe('VALIDATION_ERROR');
});

it('after 90 days the retention takes the body, and a repeat is still a duplicate', async () => {
  await shop.send(purchase('old'));
  await shop.send(purchase('old-open', { items: [{ productId: 'never' }] }));
  const run = () => runJob(app.ctx, 'retention');
  await run();
  app.clock.advance(90 * 86_400 + 1);
  const { id } = await eventOf('old');
  expect(await run()).toMatchObject({ inboundBodies: expect.any(Number) });
  expect(await inbox.getInboundEvent(app.ctx, id)).toMatchObject({
    body: null,
    headers: {},
    status: 'PROCESSED',
  });
  const open = await inbox.getInboundEvent(app.ctx, (await eventOf('old-open')).id);
  expect(JSON.parse(open.body ?? '')).toMatchObject({ id: 'old-open' });
  expect(await codeOf(inbox.reprocess(app.ctx, id))).toBe('CONFLICT');
  const { result, changes } = await app.changesBy(() => shop.send(purchase('old')));
  expect(result.body).toMatchObject({ success: true, duplicate: true, licensesCreated: 0 });
  expect(changes).toEqual(nothing);
});
