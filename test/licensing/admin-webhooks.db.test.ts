// Outbound webhooks through the admin API: what each operation does (licensing 4.2). What all operations owe their
// caller (tokens, permissions, tenants, bodies, If-Match) is in test/contract/admin.db.test.ts.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import type { Answer, HttpReply } from '../support/http-client.ts';
import { LOOPBACK_PINS, openReceiver, type Receiver, webhookWorker } from '../support/webhooks.ts';

let app: TestApp;
let receiver: Receiver;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  receiver = await openReceiver();
  owner = await app.adminToken('owner');
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});
beforeEach(async () => {
  await app.ctx.tx(async (ctx) => ctx.db.knex('webhooks').delete());
  Object.assign(receiver, { received: [], answers: [], otherwise: 200 });
});

const get = (path: string) => app.admin(path, owner);
const post = (path: string, body: unknown = {}) => app.admin(path, owner, { body });
const patch = (path: string, body: unknown) => app.admin(path, owner, { method: 'PATCH', body });
const send = () => webhookWorker(app.ctx).idle();
const itemsOf = (reply: HttpReply) => reply.body.items as unknown as Answer[];

async function made(extra: object = {}): Promise<{ id: string; secret: string }> {
  const { status, body } = await post('/webhooks', {
    url: receiver.url,
    events: ['LICENSE_CREATED'],
    ...extra,
  });
  expect(status).toBe(201);
  return { id: String(body.webhook?.id), secret: String(body.signingSecret) };
}

/** A webhook with one delivery that failed for good. */
async function failed(): Promise<{ id: string; delivery: string }> {
  const { id } = await made();
  receiver.answers = [404];
  await app.license();
  await send();
  const [delivery] = itemsOf(await get(`/webhooks/${id}/deliveries`));
  return { id, delivery: String(delivery?.id) };
}

const signature = (secret: string, body = '') =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('making a webhook', () => {
  it('shows the secret in that answer alone; it is the one that signs', async () => {
    const { id, secret } = await made({ headers: { 'X-Shop': 'a credential' } });
    expect(secret).toMatch(/^whs_[A-Za-z0-9_-]{43}$/);
    await app.license();
    await send();
    const [{ headers = {}, body = '' } = {}] = receiver.received;
    expect(headers).toMatchObject({ 'X-Webhook-Signature': signature(secret, body) });
    expect(headers).toMatchObject({ 'X-Shop': 'a credential' });
    const [delivery] = itemsOf(await get(`/webhooks/${id}/deliveries`));
    const answers = [
      await get('/webhooks'),
      await get(`/webhooks/${id}`),
      await patch(`/webhooks/${id}`, { name: 'x' }),
      await post(`/webhooks/${id}/disable`),
      await get(`/webhooks/${id}/deliveries`),
      await get(`/deliveries/${delivery?.id}`),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain(secret);
      expect(text).not.toContain('a credential');
    }
    expect(answers[1]?.body.webhook?.headers).toEqual(['X-Shop']);
  });

  it('takes the defaults, and the note into the timeline', async () => {
    const { body } = await post('/webhooks', { url: receiver.url, note: 'for the shop' });
    expect(body.webhook).toMatchObject({ service: 'license', enabled: true, productIds: null });
    expect(body.webhook?.events).not.toContain('LICENSE_VALIDATED');
    const [event] = await app.eventsOf(String(body.webhook?.id));
    expect(event).toMatchObject({ type: 'WEBHOOK_CREATED', data: { note: 'for the shop' } });
    expect(JSON.stringify(event)).not.toContain(String(body.signingSecret));
  });

  it.each([
    ['no URL', {}, 'url'],
    ['an address of a private network', { url: 'https://10.0.0.1/x' }, 'url'],
    ['the metadata service in decimal', { url: 'https://2852039166/' }, 'url'],
    ['credentials in the URL', { url: 'https://a:b@203.0.114.7/' }, 'url'],
    ['another scheme', { url: 'ftp://203.0.114.7/' }, 'url'],
    ['an event that does not exist', { url: 'https://203.0.114.7/', events: ['LICENSE_MADE'] }, 'events'],
    ['no events', { url: 'https://203.0.114.7/', events: [] }, 'events'],
    ['a number for a flag', { url: 'https://203.0.114.7/', enabled: 1 }, 'enabled'],
    ['a header of the server', { url: 'https://203.0.114.7/', headers: { Host: 'x' } }, 'headers.Host'],
    ['a product that is not there', { url: 'https://203.0.114.7/', productIds: ['nope'] }, 'productIds'],
    ['a name of 101 characters', { url: 'https://203.0.114.7/', name: '😀'.repeat(101) }, 'name'],
    ['a note of 501 characters', { url: 'https://203.0.114.7/', note: 'x'.repeat(501) }, 'note'],
  ])('refuses %s and stores nothing', async (_what, body, path) => {
    const { result, changes } = await app.changesBy(() => post('/webhooks', body));
    expect(result.status).toBe(400);
    expect(result.body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path }] } });
    expect(changes).toEqual(nothing);
  });
});

describe('a test', () => {
  it('tells what the receiver answered, whatever that was', async () => {
    const { id } = await made({ enabled: false });
    receiver.answers = [
      (res) => res.writeHead(503).end('down for repair'),
      (res) => res.writeHead(302, { Location: 'http://127.0.0.1/' }).end(),
      (res) => void res.destroy(),
    ];
    const [down, moved, dead, fine] = [
      await post(`/webhooks/${id}/test`),
      await app.admin(`/webhooks/${id}/test`, owner, { method: 'POST' }),
      await post(`/webhooks/${id}/test`),
      await post(`/webhooks/${id}/test`, { event: 'LICENSE_EXPIRED' }),
    ];
    expect([down, moved, dead, fine].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(down.body).toMatchObject({ status: 503, body: 'down for repair', ms: expect.any(Number) });
    expect(moved.body).toMatchObject({ status: 302 });
    expect(dead.body).toMatchObject({ status: null, error: expect.any(String) });
    expect(fine.body).toMatchObject({ status: 200, body: '', error: null });
    expect(receiver.received.map(({ headers }) => headers['X-Webhook-Event'])).toEqual([
      'WEBHOOK_TEST',
      'WEBHOOK_TEST',
      'WEBHOOK_TEST',
      'LICENSE_EXPIRED',
    ]);
    const { delivery } = (await get(`/deliveries/${fine.body.deliveryId}`)).body;
    expect(delivery).toMatchObject({ isTest: true, state: 'DELIVERED', event: 'LICENSE_EXPIRED' });
    expect((await get(`/webhooks/${id}`)).body.webhook).toMatchObject({ consecutiveFailures: 0 });
  });

  it('of an event that does not exist is 400', async () => {
    const { id } = await made();
    expect((await post(`/webhooks/${id}/test`, { event: 'nope' })).status).toBe(400);
    expect(receiver.received).toEqual([]);
  });
});

describe('the secret', () => {
  it('is changed by rotate-secret, shown once; the old one signs beside it for 24 hours', async () => {
    const { id, secret } = await made();
    const { status, body } = await post(`/webhooks/${id}/rotate-secret`);
    expect([status, Object.keys(body)]).toEqual([
      200,
      ['success', 'webhook', 'signingSecret', 'previousUntil'],
    ]);
    expect(body.previousUntil).toBe(addSeconds(app.ctx.now(), 86_400));
    await app.license();
    await send();
    const [{ headers = {}, body: sent = '' } = {}] = receiver.received;
    expect(headers).toMatchObject({
      'X-Webhook-Signature': signature(String(body.signingSecret), sent),
      'X-Webhook-Signature-Previous': signature(secret, sent),
    });
    const { webhook } = (await get(`/webhooks/${id}`)).body;
    expect(webhook).toMatchObject({ previousSecretUntil: body.previousUntil });
  });
});

describe('switching and deleting', () => {
  it('disable skips what waits and says why; enable sends what comes from then on', async () => {
    const { id } = await made();
    await app.license();
    const off = await post(`/webhooks/${id}/disable`, { note: 'moves' });
    expect(off.body.webhook).toMatchObject({ enabled: false, disabledReason: 'moves' });
    expect(itemsOf(await get(`/webhooks/${id}/deliveries?state=SKIPPED`))).toHaveLength(1);
    expect(itemsOf(await get('/webhooks?enabled=false'))).toHaveLength(1);
    expect(itemsOf(await get('/webhooks?enabled=true'))).toHaveLength(0);
    const on = await post(`/webhooks/${id}/enable`);
    expect(on.body.webhook).toMatchObject({ enabled: true, disabledReason: null });
    await app.license();
    await send();
    expect(receiver.received).toHaveLength(1);
  });

  it('delete takes the log along, and again it is unknown', async () => {
    const { id, delivery } = await failed();
    const remove = () => app.admin(`/webhooks/${id}`, owner, { method: 'DELETE' });
    expect((await remove()).body).toEqual({ success: true, id, deleted: true });
    for (const reply of [await remove(), await get(`/webhooks/${id}`), await get(`/deliveries/${delivery}`)])
      expect(reply.status).toBe(404);
  });
});

describe('deliveries', () => {
  it('are listed by state, event and time, and shown with body and attempts', async () => {
    const { id, delivery } = await failed();
    const at = app.ctx.now();
    app.clock.advance(60);
    await app.license();
    await send();
    const matching = async (query: string) =>
      itemsOf(await get(`/webhooks/${id}/deliveries?${query}`)).length;
    expect(await matching('state=FAILED')).toBe(1);
    expect(await matching('state=DELIVERED&event=LICENSE_CREATED')).toBe(1);
    expect(await matching('event=LICENSE_EXPIRED')).toBe(0);
    expect(await matching(`from=${at}&to=${addSeconds(at, 60)}`)).toBe(1);
    expect(await matching(`from=${addSeconds(at, 60)}`)).toBe(1);
    expect(await matching(`from=${encodeURIComponent('2026-03-01T14:00:00+02:00')}`)).toBe(2);
    expect((await get(`/webhooks/${id}/deliveries?state=GONE`)).status).toBe(400);
    expect((await get(`/webhooks/${id}/deliveries?from=yesterday`)).status).toBe(400);
    const shown = (await get(`/deliveries/${delivery}`)).body.delivery;
    expect(shown).toMatchObject({
      state: 'FAILED',
      requestBody: receiver.received[0]?.body,
      requestHeaders: { 'X-Webhook-Event': 'LICENSE_CREATED' },
      attempts: [{ run: 0, n: 1, httpStatus: 404, error: null, ms: expect.any(Number) }],
    });
  });

  it('are sent again byte for byte; one that is on its way is 409', async () => {
    const { delivery } = await failed();
    const { status, body } = await post(`/deliveries/${delivery}/redeliver`, { note: 'repaired' });
    expect([status, body.delivery?.state, body.delivery?.run]).toEqual([200, 'PENDING', 1]);
    const { result, changes } = await app.changesBy(() => post(`/deliveries/${delivery}/redeliver`));
    expect([result.status, result.body.error?.code]).toEqual([409, 'CONFLICT']);
    expect(changes).toEqual(nothing);
    await send();
    const [first, second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['X-Webhook-Redelivery']).toBe('true');
    expect((await get(`/deliveries/${delivery}`)).body.delivery?.state).toBe('DELIVERED');
  });

  it('of a range are replayed, by event and state when named', async () => {
    const { id } = await failed();
    await app.license();
    await send();
    const [from, to] = [app.ctx.now(), addSeconds(app.ctx.now(), 1)];
    const replay = async (more: object) => (await post(`/webhooks/${id}/replay`, { from, to, ...more })).body;
    expect(await replay({ events: ['LICENSE_EXPIRED'] })).toEqual({
      success: true,
      queued: 0,
      pending: 0,
      left: 0,
    });
    expect(await replay({ states: ['FAILED'] })).toEqual({ success: true, queued: 1, pending: 0, left: 0 });
    expect(await replay({})).toEqual({ success: true, queued: 1, pending: 1, left: 0 });
    for (const wrong of [{ to: from }, { from: '2026-03-01' }, { events: [] }, { states: ['PENDING'] }])
      expect((await post(`/webhooks/${id}/replay`, { from, to, ...wrong })).status).toBe(400);
  });
});
