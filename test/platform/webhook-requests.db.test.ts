// What a receiver gets: headers, signatures, bodies (spec, Events; licensing D120 to D127).
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { queueAgain } from '../../src/platform/webhooks/deliveries/changes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  attemptsOf,
  deliveriesOf,
  insertWebhook,
  LOOPBACK_PINS,
  openReceiver,
  outboxOf,
  type Receiver,
  SECRET,
  webhookWorker,
} from '../support/webhooks.ts';

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  receiver = await openReceiver();
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});
beforeEach(async () => {
  await app.ctx.tx(async (ctx) => ctx.db.knex('webhooks').delete());
  Object.assign(receiver, { received: [], answers: [], otherwise: 200 });
});

const hmac = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const send = () => webhookWorker(app.ctx).idle();

test('the headers are exactly the documented ones, the additive ones, and those of the connection', async () => {
  const id = await insertWebhook(app.ctx, { url: receiver.url });
  const license = await app.license();
  await send();
  expect(receiver.received).toHaveLength(1);
  const { headers, body } = receiver.received[0] as (typeof receiver.received)[0];
  const [delivery] = await deliveriesOf(app.ctx, id);
  expect(headers).toEqual({
    'Content-Type': 'application/json',
    'X-Webhook-Signature': hmac(SECRET, body),
    'X-Webhook-Event': 'LICENSE_CREATED',
    'X-Webhook-Attempt': '1',
    'User-Agent': 'appctl/1.0',
    'X-Webhook-Id': delivery?.event_id,
    'X-Webhook-Timestamp': app.ctx.now(),
    Host: new URL(receiver.url).host,
    'Content-Length': String(Buffer.byteLength(body)),
    'Accept-Encoding': 'identity',
    Connection: 'close',
  });
  expect(body).toBe(delivery?.body);
  expect(delivery).toMatchObject({ state: 'DELIVERED', attempts: 1, last_status: 200, subject: license.id });
  expect(await outboxOf(app.ctx, id)).toEqual([]);
});

test('the body has the fields of the spec, and machineIds as they are after the event', async () => {
  await insertWebhook(app.ctx, { url: receiver.url, events: ['LICENSE_ACTIVATED', 'LICENSE_REVOKED'] });
  const license = await app.license({ maxActivations: 2 });
  for (const machineId of ['machine-one', 'machine-two'])
    await machines.activate(app.ctx, { licenseKey: license.key, machineId, machineName: 'Büro' });
  await licenses.revoke(app.ctx, { licenseId: license.id }, 'refunded');
  await send();
  // Two are on their way at once: the second may arrive before the first.
  const order = ({ event, data }: { event: string; data: { details: object } }) =>
    event + JSON.stringify(data.details);
  const bodies = receiver.received
    .map(({ body }) => JSON.parse(body))
    .sort((a, b) => order(a).localeCompare(order(b)));
  expect(Object.keys(bodies[0])).toEqual(['event', 'timestamp', 'data']);
  expect(bodies[0]).toMatchObject({ event: 'LICENSE_ACTIVATED', timestamp: app.ctx.now() });
  expect(Object.keys(bodies[0].data)).toEqual([
    'licenseId',
    'licenseKeyPrefix',
    'customerId',
    'status',
    'product',
    'machineIds',
    'details',
  ]);
  expect(bodies[0].data.details).toEqual({ machineId: 'machine-one', machineName: 'Büro' });
  const told = new Map(bodies.map(({ event, data }) => [`${event} ${data.details.machineId}`, data]));
  expect(told.get('LICENSE_ACTIVATED machine-one')?.machineIds).toEqual(['machine-one']);
  expect(told.get('LICENSE_ACTIVATED machine-two')?.machineIds.sort()).toEqual([
    'machine-one',
    'machine-two',
  ]);
  expect(told.get('LICENSE_REVOKED undefined')?.machineIds.sort()).toEqual(['machine-one', 'machine-two']);
  for (const { body } of receiver.received) expect(body).not.toContain(license.key);
});

test('the body is frozen with the event: what changes later does not change it, the secret is the current one', async () => {
  const id = await insertWebhook(app.ctx, { url: receiver.url, events: ['LICENSE_CREATED'] });
  const license = await app.license();
  const [frozen] = await deliveriesOf(app.ctx, id);
  const until = '2026-03-02T12:00:00.000Z';
  await app.ctx.tx(async (ctx) => {
    await ctx.db.knex('licenses').where({ id: license.id }).update({ status: 'SUSPENDED' });
    const seal = (text: string, part: string) => ctx.keyring.seal('secret', text, `webhook:${id}:${part}`);
    const columns = {
      secret_enc: seal('the-next-secret-of-it', 'secret'),
      previous_secret_enc: seal(SECRET, 'previous'),
    };
    await ctx.db
      .knex('webhooks')
      .where({ id })
      .update({ ...columns, previous_until: until });
  });
  await send();
  const [first] = receiver.received;
  expect(first?.body).toBe(frozen?.body);
  expect(first?.headers).toMatchObject({
    'X-Webhook-Signature': hmac('the-next-secret-of-it', first?.body ?? ''),
    'X-Webhook-Signature-Previous': hmac(SECRET, first?.body ?? ''),
  });
  app.clock.advance(24 * 3600);
  await app.ctx.tx((ctx) => queueAgain(ctx, { id: String(frozen?.id), webhookId: id }));
  await send();
  expect(receiver.received[1]?.headers).not.toHaveProperty('X-Webhook-Signature-Previous');
});

test('a redelivery sends the same bytes and id, attempt 1 again, and says so', async () => {
  const id = await insertWebhook(app.ctx, { url: receiver.url, events: ['LICENSE_CREATED'] });
  await app.license();
  receiver.answers = [404];
  await send();
  const [failed] = await deliveriesOf(app.ctx, id);
  expect(failed).toMatchObject({ state: 'FAILED', run: 0 });
  await app.ctx.tx(async (ctx) => ctx.db.knex('webhooks').where({ id }).update({ enabled: false }));
  await app.ctx.tx((ctx) => queueAgain(ctx, { id: String(failed?.id), webhookId: id }));
  await expect(
    app.ctx.tx((ctx) => queueAgain(ctx, { id: String(failed?.id), webhookId: id })),
  ).rejects.toMatchObject({ code: 'CONFLICT' });
  await send();
  const [first, again] = receiver.received;
  expect(again?.body).toBe(first?.body);
  expect(first?.headers).not.toHaveProperty('X-Webhook-Redelivery');
  expect(again?.headers).toMatchObject({
    'X-Webhook-Id': first?.headers['X-Webhook-Id'],
    'X-Webhook-Attempt': '1',
    'X-Webhook-Redelivery': 'true',
  });
  expect(await deliveriesOf(app.ctx, id)).toMatchObject([{ state: 'DELIVERED', run: 1, attempts: 1 }]);
  expect((await attemptsOf(app.ctx, failed?.id)).map(({ run, n, status }) => [run, n, status])).toEqual([
    [0, 1, 404],
    [1, 1, 200],
  ]);
});

test('own headers are sent beside the documented ones and never instead of them', async () => {
  const headers = { Authorization: 'Bearer own-credential-1234', 'x-webhook-event': 'FORGED', 'X-Team': 'a' };
  const id = await insertWebhook(app.ctx, { url: receiver.url, headers });
  await app.license();
  await send();
  expect(receiver.received[0]?.headers).toMatchObject({
    Authorization: headers.Authorization,
    'X-Team': 'a',
    'X-Webhook-Event': 'LICENSE_CREATED',
  });
  expect(receiver.received[0]?.headers).not.toHaveProperty('x-webhook-event');
  const [delivery] = await deliveriesOf(app.ctx, id);
  const [attempt] = await attemptsOf(app.ctx, delivery?.id);
  expect(JSON.parse(String(attempt?.request_headers))).toMatchObject({
    Authorization: '[redacted]',
    'X-Team': '[redacted]',
    'X-Webhook-Signature': '[redacted]',
    'X-Webhook-Event': 'LICENSE_CREATED',
  });
});

test('the log keeps 2 KB of an answer, without what it repeats of secrets', async () => {
  const headers = { 'X-Token': 'own-credential-1234' };
  const id = await insertWebhook(app.ctx, { url: receiver.url, headers });
  const license = await app.license();
  receiver.otherwise = (res, req) => {
    const echo = `${JSON.stringify(req.headers)} ${license.key} whs: ${SECRET}\0 `;
    res.writeHead(200, { 'Content-Type': 'text/plain', 'Set-Cookie': 'a=b', Server: 'echo' });
    res.end(echo + 'ü'.repeat(5000));
  };
  await send();
  const [delivery] = await deliveriesOf(app.ctx, id);
  expect(delivery).toMatchObject({ state: 'DELIVERED' });
  const [attempt] = await attemptsOf(app.ctx, delivery?.id);
  const excerpt = String(attempt?.response_excerpt);
  expect(excerpt).toContain('"x-webhook-event":"LICENSE_CREATED"');
  for (const secret of [license.key, SECRET, headers['X-Token'], '\0']) expect(excerpt).not.toContain(secret);
  expect(excerpt).not.toMatch(/[0-9a-f]{64}/);
  expect(Buffer.byteLength(excerpt)).toBeGreaterThan(2000);
  expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(2048);
  // No half character at the end.
  expect(excerpt.at(-1)).toBe('ü');
  expect(Object.keys(JSON.parse(String(attempt?.response_headers))).sort()).toEqual([
    'content-type',
    'date',
    'server',
  ]);
});
