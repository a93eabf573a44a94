// Disabling a webhook that much waits for, and what other writers notice of it (licensing D119, C16).
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { skipWaiting } from '../../src/platform/webhooks/deliveries/changes.ts';
import { freeze } from '../../src/platform/webhooks/deliveries/queries.ts';
import { lock } from '../../src/platform/webhooks/registry/repository.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  deliveriesOf,
  insertWebhook,
  LOOPBACK_PINS,
  openReceiver,
  outboxOf,
  type Receiver,
  webhookRow,
  webhookWorker,
} from '../support/webhooks.ts';

/** More than twice what one transaction skips. */
const MANY = 1100;

let app: TestApp;
let ctx: Ctx;
let receiver: Receiver;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  ({ ctx } = app);
  receiver = await openReceiver();
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});
beforeEach(async () => {
  await ctx.tx(async (ctx) => ctx.db.knex('webhooks').delete());
  await ctx.tx(async (ctx) => ctx.db.knex('outbox').delete());
  Object.assign(receiver, { received: [], answers: [], otherwise: 200 });
});

const webhook = (extra: object = {}) => insertWebhook(ctx, { url: receiver.url, events: ['*'], ...extra });

/** Deliveries that wait, as events write them. */
const wait = (webhookId: string, count = MANY, availableAt = ctx.now()) =>
  ctx.tx(async (ctx) => {
    for (let n = 0; n < count; n++) {
      const id = ctx.newId('whd');
      await freeze(ctx, {
        id,
        webhook_id: webhookId,
        tenant_id: ctx.tenantId,
        event_id: ctx.newId('evt'),
        event: 'LICENSE_CREATED',
        subject: 'lic',
        body: '{}',
        at: ctx.now(),
      });
      await insertOutbox(ctx, [{ kind: 'webhook', target: webhookId, refId: id, availableAt }]);
    }
  });
const statesOf = async (id: string) => {
  const states = (await deliveriesOf(ctx, id)).map(({ state }) => state);
  return Object.fromEntries([...Map.groupBy(states, String)].map(([state, all]) => [state, all.length]));
};
const skippedOf = async (id: string) =>
  (await app.eventsOf(id)).filter(({ type }) => type === 'WEBHOOK_DISABLED').map(({ data }) => data.skipped);

test('by staff: all that waits is skipped, and one transaction takes 500 at most', async () => {
  const id = await webhook();
  await wait(id);
  expect(await ctx.tx((ctx) => skipWaiting(ctx, id))).toBe(MANY);
  expect(await statesOf(id)).toEqual({ SKIPPED: 500, PENDING: 600 });
  expect(await outboxOf(ctx, id)).toHaveLength(600);
  await webhooks.disable(ctx, licenseWebhooks, id);
  expect(await statesOf(id)).toEqual({ SKIPPED: MANY });
  expect(await outboxOf(ctx, id)).toEqual([]);
  expect(await skippedOf(id)).toEqual([600]);
});

test('by the 20th failure: all that waits is skipped', async () => {
  const id = await webhook({ failures: 19 });
  receiver.otherwise = 400;
  await wait(id, 1);
  await wait(id, MANY, new Date(Date.parse(ctx.now()) + 30_000).toISOString());
  await webhookWorker(ctx).idle();
  expect(receiver.received).toHaveLength(1);
  expect(await statesOf(id)).toEqual({ FAILED: 1, SKIPPED: MANY });
  expect(await outboxOf(ctx, id)).toEqual([]);
  expect(await skippedOf(id)).toEqual([MANY]);
});

test('what a call left that was cut short is not sent when the webhook is enabled again', async () => {
  const id = await webhook();
  await wait(id);
  await ctx.tx(async (ctx) => {
    await skipWaiting(ctx, id);
    await ctx.db.knex('webhooks').where({ id }).update({ enabled: false, disabled_at: ctx.now() });
  });
  expect(await statesOf(id)).toEqual({ SKIPPED: 500, PENDING: 600 });
  expect(await webhooks.enable(ctx, licenseWebhooks, id)).toMatchObject({ enabled: true });
  await webhookWorker(ctx).idle();
  expect(receiver.received).toEqual([]);
  expect(await statesOf(id)).toEqual({ SKIPPED: MANY });
});

test('what staff sends again to a disabled webhook is sent, also when the webhook is changed meanwhile', async () => {
  const id = await webhook();
  await wait(id, 1);
  await webhooks.disable(ctx, licenseWebhooks, id);
  app.clock.advance(1);
  const [delivery] = await deliveriesOf(ctx, id);
  await webhooks.replayOne(ctx, licenseWebhooks, String(delivery?.id));
  await webhooks.update(ctx, licenseWebhooks, id, { name: 'renamed' });
  await webhookWorker(ctx).idle();
  expect(receiver.received).toHaveLength(1);
  expect(await statesOf(id)).toEqual({ DELIVERED: 1 });
});

// SQLite has one writer at a time.
if (inject('databaseKind') === 'postgres') {
  test('a change of a license does not wait for one of a webhook', async () => {
    const id = await webhook();
    await ctx.tx(async (inside) => {
      await lock(inside, 'license', id);
      await inside.db.knex('webhooks').where({ id }).update({ name: 'slow' });
      await app.license();
    });
    expect((await deliveriesOf(ctx, id)).map(({ event }) => event)).toEqual(['LICENSE_CREATED']);
  });
}

/** Servers that work on one database, each with a worker of its own. */
const sendWith = async (servers: number) => {
  const workers = Array.from({ length: servers }, () => webhookWorker(ctx));
  await Promise.all(workers.map((worker) => worker.idle()));
};
const requestsUntilDisabled = async (id: string) => ({
  requests: receiver.received.length,
  failures: (await webhookRow(ctx, id)).consecutive_failures,
  ...(await statesOf(id)),
});

describe.each([1, 2, 3])('with %i servers, by exactly twenty failures', (servers) => {
  test.each([0, 1, 12, 19])(
    'after %i of them, and 60 that wait for a receiver that refuses at once',
    async (failures) => {
      const id = await webhook({ failures });
      receiver.otherwise = 404;
      await wait(id, 60);
      await sendWith(servers);
      const left = 20 - failures;
      expect(await requestsUntilDisabled(id)).toEqual({
        requests: left,
        failures: 20,
        FAILED: left,
        SKIPPED: 60 - left,
      });
      expect(await outboxOf(ctx, id)).toEqual([]);
    },
  );

  test('that follow on deliveries that arrived', async () => {
    const id = await webhook();
    await wait(id, 50);
    await sendWith(servers);
    receiver.otherwise = 404;
    await wait(id, 60);
    await sendWith(servers);
    expect(await requestsUntilDisabled(id)).toEqual({
      requests: 70,
      failures: 20,
      DELIVERED: 50,
      FAILED: 20,
      SKIPPED: 40,
    });
  });

  test('that arrive late: no more are on their way than may still fail', async () => {
    const id = await webhook({ failures: 18 });
    receiver.otherwise = (res) => void setTimeout(() => res.writeHead(404).end(), 30);
    await wait(id, 10);
    await sendWith(servers);
    expect(await requestsUntilDisabled(id)).toEqual({ requests: 2, failures: 20, FAILED: 2, SKIPPED: 8 });
  });

  test('and not where one that arrives comes between them', async () => {
    const id = await webhook({ failures: 19 });
    receiver.answers = [200];
    receiver.otherwise = 404;
    await wait(id, 20);
    await sendWith(servers);
    expect(await requestsUntilDisabled(id)).toEqual({ requests: 20, failures: 19, DELIVERED: 1, FAILED: 19 });
    expect(await webhookRow(ctx, id)).toMatchObject({ disabled_at: null });
  });
});

test('a success that came before the failures does not end their series, whichever is written first', async () => {
  const id = await webhook();
  receiver.answers = Array(50).fill(200);
  receiver.otherwise = 404;
  await wait(id, 110);
  await sendWith(1);
  const result = { requests: 70, failures: 20, DELIVERED: 50, FAILED: 20, SKIPPED: 40 };
  expect(await requestsUntilDisabled(id)).toEqual(result);
});

test('what staff sends again does not wait for what may still fail', async () => {
  const id = await webhook({ failures: 3 });
  receiver.otherwise = 404;
  await wait(id, 1);
  await webhookWorker(ctx).idle();
  const [delivery] = await deliveriesOf(ctx, id);
  receiver.otherwise = 200;
  await webhooks.replayOne(ctx, licenseWebhooks, String(delivery?.id));
  await webhookWorker(ctx).idle();
  expect(await statesOf(id)).toEqual({ DELIVERED: 1 });
});
