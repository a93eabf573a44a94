// Purchases that come in, through the admin API: what each operation does (licensing 4.2). What all operations owe
// their caller (tokens, permissions, tenants, bodies, If-Match) is in test/contract/admin.db.test.ts.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import type { Answer, HttpReply } from '../support/http-client.ts';

let app: TestApp;
let owner: MadeKey;
let product: Product;
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
  product = await app.product();
});
afterAll(() => app.close());

const SECRET = 'a secret of the processor';
const get = (path: string) => app.admin(path, owner);
const post = (path: string, body: unknown = {}) => app.admin(path, owner, { body });
const patch = (path: string, body: unknown) => app.admin(path, owner, { method: 'PATCH', body });
const remove = (path: string) => app.admin(path, owner, { method: 'DELETE' });
const itemsOf = (reply: HttpReply) => reply.body.items as unknown as Answer[];

let made = 0;
async function integration(extra: object = {}): Promise<string> {
  made += 1;
  const input = { name: `shop ${made}`, processor: 'GENERIC', signingSecret: SECRET, ...extra };
  const { status, body } = await post('/integrations', input);
  expect(status).toBe(201);
  return String(body.integration?.id);
}

/** Reports a purchase to the real endpoint, as the processor does. */
function report(id: string, event: object, secret = SECRET): Promise<HttpReply> {
  const body = JSON.stringify(event);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return app.send(`/api/v1/webhooks/inbound/${id}`, { body, headers: { 'X-Webhook-Signature': signature } });
}

const purchase = (id: string, productId = 'plan_1') => ({
  event: 'order.completed',
  id,
  productId,
  email: 'ann@x.test',
});
const plan = () => ({ externalProductId: 'plan_1', productId: product.slug, licenseType: 'PERPETUAL' });

describe('making an integration', () => {
  it('tells the URL for the processor, and never the secret that it was given', async () => {
    const reply = await post('/integrations', { name: 'card', processor: 'STRIPE', signingSecret: SECRET });
    const { id } = reply.body.integration as unknown as { id: string };
    const { baseUrl } = app.ctx;
    expect(reply.body).toEqual({
      success: true,
      integration: expect.objectContaining({ name: 'card', processor: 'STRIPE', enabled: true }),
      endpointUrl: `${baseUrl}/api/v1/webhooks/inbound/${id}`,
    });
    for (const { text } of [reply, await get('/integrations'), await get(`/integrations/${id}`)])
      expect(text).not.toContain(SECRET);
    expect((await get(`/integrations/${id}`)).body.integration?.url).toBe(reply.body.endpointUrl);
    expect(JSON.stringify(await app.eventsOf(id))).not.toContain(SECRET);
  });

  it('makes a secret for a generic processor and shows it once; it is the one that counts', async () => {
    const { body } = await post('/integrations', { name: 'ours', processor: 'GENERIC' });
    const [id, secret] = [String(body.integration?.id), String(body.signingSecret)];
    expect(secret.length).toBeGreaterThan(40);
    expect((await get(`/integrations/${id}`)).text).not.toContain(secret);
    await post(`/integrations/${id}/mappings`, plan());
    expect((await report(id, purchase('o-own'), secret)).body).toMatchObject({ licensesCreated: 1 });
    expect((await report(id, purchase('o-forged'))).body).toMatchObject({ reason: 'SIGNATURE_INVALID' });
    expect(itemsOf(await get(`/integrations/${id}/refusals`))).toEqual([
      expect.objectContaining({ reason: 'SIGNATURE_INVALID', count: 1 }),
    ]);
  });

  it.each([
    ['a wallet processor', { processor: 'WALLET' }, 'processor'],
    ['an empty secret', { signingSecret: '' }, 'signingSecret'],
    ['a secret of 15 characters', { signingSecret: 'x'.repeat(15) }, 'signingSecret'],
    ['a card processor without a secret', { processor: 'STRIPE', signingSecret: null }, 'signingSecret'],
    ['a URL that is not https', { processor: 'SQUARE', notificationUrl: 'http://x.test' }, 'notificationUrl'],
    ['a URL for a processor that signs none', { notificationUrl: 'https://x.test/' }, 'notificationUrl'],
    ['a name with U+0000', { name: 'a\0' }, ''],
    ['a number for a name', { name: 5 }, 'name'],
  ])('refuses %s and stores nothing', async (_what, extra, path) => {
    const body = { name: 'refused', processor: 'GENERIC', signingSecret: SECRET, ...extra };
    const { result, changes } = await app.changesBy(() => post('/integrations', body));
    expect(result.status).toBe(400);
    expect(result.body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path }] } });
    expect(changes).toEqual(nothing);
  });

  it('refuses a taken name with 409; another tenant may have it', async () => {
    await integration({ name: 'taken' });
    const body = { name: 'taken', processor: 'GENERIC', signingSecret: SECRET };
    const { result, changes } = await app.changesBy(() => post('/integrations', body));
    expect([result.status, result.body.error?.code]).toEqual([409, 'CONFLICT']);
    expect(changes).toEqual(nothing);
    const token = await app.adminToken('owner', {}, await app.otherTenant());
    expect((await app.admin('/integrations', token, { body })).status).toBe(201);
  });
});

describe('changing and deleting', () => {
  it('a replaced secret stays valid for 24 hours', async () => {
    const id = await integration();
    await post(`/integrations/${id}/mappings`, plan());
    const next = 'the next secret of it';
    const { body } = await patch(`/integrations/${id}`, { signingSecret: next });
    const until = addSeconds(app.ctx.now(), 86_400);
    expect(body.integration).toMatchObject({ previousSecretUntil: until });
    expect(body).not.toHaveProperty('signingSecret');
    expect((await report(id, purchase('o-old'))).body).toMatchObject({ licensesCreated: 1 });
    expect((await report(id, purchase('o-new'), next)).body).toMatchObject({ licensesCreated: 1 });
    app.clock.advance(86_400);
    expect((await report(id, purchase('o-late'))).body).toMatchObject({ reason: 'SIGNATURE_INVALID' });
  });

  it('a secret of ours is shown in the answer that makes it', async () => {
    const id = await integration();
    const { body } = await patch(`/integrations/${id}`, { generateSecret: true });
    expect(String(body.signingSecret).length).toBeGreaterThan(40);
    expect((await patch(`/integrations/${id}`, { generateSecret: true, signingSecret: SECRET })).status).toBe(
      400,
    );
  });

  it('the answer names what was deleted by its id, however it was asked for', async () => {
    const id = await integration({ name: 'by name' });
    expect((await remove('/integrations/by%20name')).body).toEqual({ success: true, id, deleted: true });
  });

  it('the timeline keeps why a change was made', async () => {
    const id = await integration({ note: 'new shop' });
    await patch(`/integrations/${id}`, { enabled: false, note: 'it moves' });
    const { mapping } = (await post(`/integrations/${id}/mappings`, { ...plan(), note: 'first plan' })).body;
    await patch(`/integrations/${id}/mappings/${mapping?.id}`, { maxActivations: 9, note: 'more seats' });
    const notes = (await app.eventsOf(id)).map(({ data }) => data.note);
    expect(notes).toEqual(['new shop', 'it moves', 'first plan', 'more seats']);
    const { result, changes } = await app.changesBy(() =>
      patch(`/integrations/${id}`, { enabled: true, note: 'x'.repeat(501) }),
    );
    expect(result.body.error).toMatchObject({ details: { issues: [{ path: 'note' }] } });
    expect(changes).toEqual(nothing);
  });

  it('a deleted one is unknown to staff and to the processor', async () => {
    const id = await integration();
    expect((await remove(`/integrations/${id}`)).body).toEqual({ success: true, id, deleted: true });
    expect((await remove(`/integrations/${id}`)).status).toBe(404);
    expect((await get(`/integrations/${id}`)).status).toBe(404);
    expect((await report(id, purchase('o-gone'))).body).toMatchObject({ reason: 'CONFIG_NOT_FOUND' });
  });
});

describe('mappings', () => {
  it('are made, changed by the same external id or by their own, and taken away', async () => {
    const base = `/integrations/${await integration()}/mappings`;
    const first = (await post(base, { ...plan(), maxActivations: 2 })).body.mapping;
    expect(first).toMatchObject({ productId: product.id, maxActivations: 2, durationDays: null });
    const second = (await post(base, { ...plan(), maxActivations: 3 })).body.mapping;
    expect(second).toMatchObject({ id: first?.id, maxActivations: 3 });
    const third = (await patch(`${base}/${first?.id}`, { onRefund: 'REVOKE' })).body.mapping;
    expect(third).toMatchObject({ maxActivations: 3, onRefund: 'REVOKE' });
    expect(itemsOf(await get(base))).toEqual([third]);
    const gone = await remove(`${base}/${first?.id}`);
    expect(gone.body).toEqual({ success: true, id: first?.id, deleted: true });
    expect(itemsOf(await get(base))).toEqual([]);
    expect((await remove(`${base}/${first?.id}`)).status).toBe(404);
  });

  it('are named by their own id alone, and change only as they were read', async () => {
    const base = `/integrations/${await integration()}/mappings`;
    const sent = (body: object, read: string) =>
      app.admin(base, owner, { body, headers: { 'If-Match': `"${read}"` } });
    const { mapping } = (await post(base, plan())).body;
    const read = String(mapping?.updatedAt);
    app.clock.advance(1);
    const { result, changes } = await app.changesBy(async () => [
      await remove(`${base}/plan_1`),
      await sent({ ...plan(), maxActivations: 5 }, app.ctx.now()),
      await sent({ ...plan(), externalProductId: 'plan_2' }, read),
    ]);
    expect(result.map(({ status }) => status)).toEqual([404, 412, 412]);
    expect(changes).toEqual(nothing);
    expect((await sent({ ...plan(), maxActivations: 5 }, read)).body.mapping?.maxActivations).toBe(5);
  });

  it.each([
    ['FLOATING', { licenseType: 'FLOATING' }, 400],
    ['no external id', { externalProductId: undefined }, 400],
    ['1001 seats', { maxActivations: 1001 }, 400],
    ['no seat', { maxActivations: 0 }, 400],
    ['half a day', { durationDays: 0.5 }, 400],
    ['a product that is not there', { productId: 'nope' }, 404],
    ['a policy that is not there', { policyId: 'nope' }, 404],
  ])('with %s are refused', async (_what, extra, status) => {
    const base = `/integrations/${await integration()}/mappings`;
    const { result, changes } = await app.changesBy(() => post(base, { ...plan(), ...extra }));
    expect(result.status).toBe(status);
    expect(changes).toEqual(nothing);
  });

  it('of one integration are unknown under another', async () => {
    const [one, other] = [await integration(), await integration()];
    const { mapping } = (await post(`/integrations/${one}/mappings`, plan())).body;
    const { result, changes } = await app.changesBy(async () => [
      await patch(`/integrations/${other}/mappings/${mapping?.id}`, { maxActivations: 9 }),
      await remove(`/integrations/${other}/mappings/${mapping?.id}`),
    ]);
    expect(result.map(({ status }) => status)).toEqual([404, 404]);
    expect(changes).toEqual(nothing);
  });
});

describe('events', () => {
  it('of products that nobody mapped are listed, and made good after mapping', async () => {
    const id = await integration();
    expect((await report(id, purchase('o-1'))).body).toMatchObject({ success: false, reason: 'UNMAPPED' });
    const [event] = itemsOf(await get(`/integrations/${id}/events?status=FAILED&reason=UNMAPPED`));
    expect(event).toMatchObject({ processorEventId: 'o-1', licensesCreated: 0 });
    const shown = (await get(`/inbound-events/${event?.id}`)).body.event;
    expect(JSON.parse(String(shown?.body))).toEqual(purchase('o-1'));
    await post(`/integrations/${id}/mappings`, plan());
    const again = await post(`/inbound-events/${event?.id}/reprocess`, { note: 'mapped' });
    expect(again.body).toMatchObject({ licensesCreated: 1, event: { status: 'PROCESSED' } });
    const twice = await app.admin(`/inbound-events/${event?.id}/reprocess`, owner, { method: 'POST' });
    expect(twice.body).toMatchObject({ success: true, licensesCreated: 0, event: { licensesCreated: 1 } });
    const now = app.ctx.now();
    const listed = async (query: string) => itemsOf(await get(`/integrations/${id}/events?${query}`)).length;
    expect(await listed(`from=${now}`)).toBe(1);
    expect(await listed(`to=${now}`)).toBe(0);
    expect(await listed('status=PROCESSED')).toBe(1);
    expect((await get(`/integrations/${id}/events?status=DONE`)).status).toBe(400);
  });

  it('are simulated without a trace', async () => {
    const id = await integration();
    await post(`/integrations/${id}/mappings`, { ...plan(), maxActivations: 4 });
    const { result, changes } = await app.changesBy(async () => [
      await post(`/integrations/${id}/simulate`, { payload: purchase('o-sim') }),
      await post(`/integrations/${id}/simulate`, { payload: purchase('o-sim', 'plan_9') }),
      await post(`/integrations/${id}/simulate`, { payload: { nothing: 1 } }),
      await post(`/integrations/${id}/simulate`, { payload: 'text' }),
      await post(`/integrations/${id}/simulate`, {}),
    ]);
    expect(result.map(({ status }) => status)).toEqual([200, 200, 400, 400, 400]);
    expect(result[0]?.body).toMatchObject({
      matched: [{ externalProductId: 'plan_1' }],
      wouldCreate: [{ productId: product.id, maxActivations: 4, customerEmail: 'ann@x.test' }],
    });
    const reason = 'UNMAPPED';
    expect(result[1]?.body).toMatchObject({ reason, matched: [], unmapped: ['plan_9'], wouldCreate: [] });
    expect(changes).toEqual(nothing);
  });
});
