// Which webhook is sent which event (licensing D41, D121, D122, D124), and what several processes on one database do.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { defineEvents, event } from '#kernel/events.ts';
import { logTo } from '#kernel/log.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { type Instance, openInstance } from '../../src/app/instance.ts';
import { licensingEvent } from '../../src/licensing/contract/events.ts';
import { publish } from '../../src/licensing/publish.ts';
import { webhooksChanged } from '../../src/platform/webhooks/deliveries/changes.ts';
import { refreshSubscriptions } from '../../src/platform/webhooks/deliveries/subscriptions.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  deliveriesOf,
  insertWebhook,
  LOOPBACK_PINS,
  openReceiver,
  outboxOf,
  type Receiver,
  webhookWorker,
} from '../support/webhooks.ts';

const strange = {
  license: defineEvents('license', { SEAT_DENIED: event<object>(), NOTE: event<object>() }),
  platform: defineEvents('platform', { LICENSE_REVOKED: event<object>() }),
};

let app: TestApp;
let other: Instance;
let receiver: Receiver;
let productId: string;

beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  const { config, clock } = app.instance;
  other = await openInstance({
    config,
    clock,
    log: logTo({ write: () => undefined }, 'silent'),
    mode: 'use',
  });
  receiver = await openReceiver();
  productId = (await app.product()).id;
});
afterAll(async () => {
  await receiver.close();
  await other.close();
  await app.close();
});
beforeEach(async () => {
  await app.ctx.tx(async (ctx) => {
    await ctx.db.knex('webhooks').delete();
    await ctx.db.knex('outbox').delete();
    await webhooksChanged(ctx);
  });
  Object.assign(receiver, { received: [], answers: [], otherwise: 200 });
});

const webhook = (extra: object = {}, ctx = app.ctx) => insertWebhook(ctx, { url: receiver.url, ...extra });
const eventsFor = async (id: string) => (await deliveriesOf(app.ctx, id)).map(({ event }) => event);
const subject = { licenseId: 'lic_1', keyPrefix: 'APP-AAAA', customerId: null };
const emit = (ctx: Ctx, event: Parameters<typeof publish>[3], slug = 'x', machineIds = async () => ['m']) =>
  ctx.tx((ctx) =>
    publish(
      ctx,
      { ...subject, product: { name: 'X', slug } },
      { status: 'ACTIVE', machineIds: async () => machineIds() },
      event,
    ),
  );
const reinstated = licensingEvent('LICENSE_REINSTATED', { previousStatus: 'SUSPENDED', status: 'ACTIVE' });
const revoked = licensingEvent('LICENSE_REVOKED', { reason: null, deactivatedMachineIds: [] });

test('* takes every event but those that must be named; names take what they name', async () => {
  const all = await webhook();
  const named = await webhook({ events: ['LICENSE_REINSTATED'] });
  await emit(app.ctx, reinstated);
  await emit(app.ctx, revoked);
  await app.ctx.tx((ctx) => strange.license.tell(ctx, 'SEAT_DENIED', 'lic_1', {}));
  await app.ctx.tx((ctx) => strange.platform.tell(ctx, 'LICENSE_REVOKED', 'x', {}));
  expect(await eventsFor(all)).toEqual(['LICENSE_REVOKED']);
  expect(await eventsFor(named)).toEqual(['LICENSE_REINSTATED']);
});

test('LICENSE_VALIDATED and VALIDATION_FAILED are written only where a webhook subscribes, and no event row', async () => {
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  const license = await app.license({ productId });
  await machines.activate(app.ctx, { licenseKey: license.key, machineId: 'machine-one' });
  const validate = (machineId = 'machine-one', licenseKey = license.key) =>
    app.post('/api/v1/license/validate', { licenseKey, machineId }, secret);
  expect((await app.changesBy(() => validate())).changes).toEqual({ events: [], rows: {} });
  const quiet = await webhook({ events: ['LICENSE_REVOKED'] });
  expect((await app.changesBy(() => validate())).changes).toEqual({ events: [], rows: {} });
  const id = await webhook({ events: ['LICENSE_VALIDATED', 'VALIDATION_FAILED'] });
  const { changes, result } = await app.changesBy(() => validate());
  expect(result.body).toMatchObject({ valid: true });
  expect(changes).toEqual({ events: [], rows: { webhook_deliveries: '+1', outbox: '+1' } });
  await validate('machine-two');
  await validate('machine-one', 'APP-AAAA-AAAA-AAAA-AAAA');
  expect(await eventsFor(id)).toEqual(['LICENSE_VALIDATED', 'VALIDATION_FAILED']);
  expect(await eventsFor(quiet)).toEqual([]);
  await webhookWorker(app.ctx).idle();
  const bodies = receiver.received.map(({ body }) => JSON.parse(body));
  expect(bodies.find(({ event }) => event === 'LICENSE_VALIDATED')).toMatchObject({
    event: 'LICENSE_VALIDATED',
    data: { machineIds: ['machine-one'], details: { machineId: 'machine-one', grace: false } },
  });
});

test('a validate whose webhook cannot be written for is answered all the same', async () => {
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  const license = await app.license({ productId });
  await machines.activate(app.ctx, { licenseKey: license.key, machineId: 'machine-one' });
  const id = await webhook({ events: ['LICENSE_VALIDATED'] });
  const rename = (from: string, to: string) =>
    app.ctx.tx(async ({ db }) => void (await db.knex.schema.renameTable(from, to)));
  await rename('outbox', 'outbox_away');
  const body = { licenseKey: license.key, machineId: 'machine-one' };
  const reply = await app.post('/api/v1/license/validate', body, secret);
  await rename('outbox_away', 'outbox');
  expect([reply.status, reply.body.valid]).toEqual([200, true]);
  expect(await eventsFor(id)).toEqual([]);
});

test('a webhook of another tenant, a disabled one and one of other products get nothing', async () => {
  const foreign = await app.otherTenant();
  const theirs = await webhook({}, foreign);
  const disabled = await webhook({ enabled: false });
  const elsewhere = await webhook({ productIds: [(await app.product()).id] });
  const here = await webhook({ productIds: [productId] });
  await app.license({ productId });
  for (const id of [theirs, disabled, elsewhere]) expect(await eventsFor(id)).toEqual([]);
  expect(await eventsFor(here)).toEqual(['LICENSE_CREATED']);
  await app.license({}, foreign);
  expect(await eventsFor(theirs)).toEqual(['LICENSE_CREATED']);
});

test('an e-mail address is null for a webhook with redactEmail', async () => {
  const [open, redacting] = [await webhook(), await webhook({ redactEmail: true })];
  const missed = licensingEvent('HEARTBEAT_MISSED', {
    machineId: 'm',
    machineName: null,
    lastSeenAt: app.ctx.now(),
    metadata: null,
    strategy: 'DEACTIVATE_DEAD',
    customerEmail: 'ann@x.test',
  });
  await emit(app.ctx, missed);
  const emailOf = async (id: string) =>
    (await deliveriesOf(app.ctx, id)).map(({ body }) => JSON.parse(String(body)).data.details.customerEmail);
  expect(await emailOf(open)).toEqual(['ann@x.test']);
  expect(await emailOf(redacting)).toEqual([null]);
});

test('what only receivers are told is computed only where somebody wants the event', async () => {
  let asked = 0;
  const machineIds = async () => {
    asked += 1;
    return ['m'];
  };
  await webhook({ events: ['LICENSE_CREATED'] });
  await emit(app.ctx, revoked, 'x', machineIds);
  expect(asked).toBe(0);
  await webhook();
  await webhook();
  await emit(app.ctx, revoked, 'x', machineIds);
  expect(asked).toBe(1);
});

test('a webhook that another process makes, disables or enables is seen by the very next event', async () => {
  await app.license({ productId });
  const id = await webhook({ events: ['LICENSE_CREATED'] }, other.ctx);
  await app.license({ productId });
  const enable = (enabled: boolean) =>
    other.ctx.tx(async (ctx) => {
      await ctx.db.knex('webhooks').where({ id }).update({ enabled });
      await webhooksChanged(ctx);
    });
  await enable(false);
  await app.license({ productId });
  expect(await eventsFor(id)).toHaveLength(1);
  await enable(true);
  await app.license({ productId });
  expect(await eventsFor(id)).toHaveLength(2);
});

test('what is not written in the transaction of a change is read by the ticker', async () => {
  await refreshSubscriptions(app.ctx);
  expect(app.ctx.hasListeners).toBe(false);
  await webhook({}, other.ctx);
  expect(app.ctx.hasListeners).toBe(false);
  await refreshSubscriptions(app.ctx);
  expect(app.ctx.hasListeners).toBe(true);
  expect((await app.otherTenant()).hasListeners).toBe(false);
});

test('a webhook whose change was rolled back is not remembered', async () => {
  const id = await webhook({ events: ['LICENSE_REVOKED'] });
  await expect(
    app.ctx.tx(async (ctx) => {
      await ctx.db.knex('webhooks').where({ id }).update({ events: '["LICENSE_CREATED"]' });
      await webhooksChanged(ctx);
      await strange.license.tell(ctx, 'NOTE', 'x', {});
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  await app.license({ productId });
  expect(await eventsFor(id)).toEqual([]);
});

test('an event of a transaction that was rolled back has no delivery', async () => {
  const id = await webhook();
  await expect(
    app.ctx.tx(async (ctx) => {
      await app.license({ productId }, ctx);
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  expect(await eventsFor(id)).toEqual([]);
  expect(await outboxOf(app.ctx, id)).toEqual([]);
});

test('a webhook that goes while an event is written costs the event nothing', async () => {
  const id = await webhook();
  await app.license({ productId });
  // As the writer sees it that read the version before a deletion was committed.
  await app.ctx.tx(async (ctx) => void (await ctx.db.knex('webhooks').where({ id }).delete()));
  const license = await app.license({ productId });
  expect((await app.eventsOf(license.id)).map(({ type }) => type)).toEqual(['LICENSE_CREATED']);
  expect(await deliveriesOf(app.ctx, id)).toEqual([]);
});

test('two processes on one database send every event once', async () => {
  const ids = await Promise.all([webhook(), webhook(), webhook()]);
  for (let i = 0; i < 30; i++) await app.license({ productId });
  await Promise.all([webhookWorker(app.ctx).idle(), webhookWorker(other.ctx).idle()]);
  expect(receiver.received).toHaveLength(90);
  const keys = receiver.received.map(({ headers }) => headers['X-Webhook-Id']);
  expect(new Set(keys).size).toBe(30);
  for (const id of ids)
    expect(await deliveriesOf(app.ctx, id)).toMatchObject(
      Array(30).fill({ state: 'DELIVERED', attempts: 1 }),
    );
});

test('an event of another process is found without a bell', async () => {
  await webhook();
  const worker = webhookWorker(app.ctx);
  worker.start();
  await app.license({ productId }, other.ctx);
  while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await worker.stop();
  expect(receiver.received).toHaveLength(1);
});
