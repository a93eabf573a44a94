// What the shop asks of licenses in its own transactions: create again, renew, convert a trial, seats, cards, keys, and
// the products of a picker (licensing 2.12; D38, D40, D43, D53, D61).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { subscribes } from '#licensing/contract/events.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';
import { codeOf, refusalOf } from '../support/refusal.ts';

const DAY = 86_400;
let app: TestApp;
let apiKey: string;
let customer: Ctx;
beforeAll(async () => {
  app = await startApp({ listener: true });
  apiKey = (await app.apiKey('VALIDATE_ONLY')).secret;
  customer = app.ctx.with({ actor: { kind: 'customer', id: 'cus_ann', label: null } });
});
afterAll(() => app.close());

const inSeconds = (seconds: number) => new Date(app.clock.epochMs() + seconds * 1000).toISOString();
const changes = async (work: () => Promise<unknown>): Promise<Changes> => (await app.changesBy(work)).changes;
const refused = async (work: () => Promise<unknown>): Promise<string> => {
  const { result, changes } = await app.changesBy(() => codeOf(work()));
  expect(changes).toEqual(nothing);
  return result;
};
const lastEvent = async (id: string, type: string) =>
  (await app.eventsOf(id)).filter((event) => event.type === type).at(-1)?.data;
const activate = (licenseKey: string, machineId: string) =>
  app.post('/api/v1/license/activate', { licenseKey, machineId }, apiKey);

describe('create under the namespace of the shop', () => {
  const asked = (productId: string) => ({ productId, customerEmail: 'ann@x.test', orderId: 'ON-1' });
  const made = (ctx: Ctx, productId: string, key: string) =>
    ctx.tx((ctx) =>
      licenses.create(
        ctx,
        { ...asked(productId), force: true },
        {
          source: 'STOREFRONT',
          idempotency: { namespace: 'store', key },
        },
      ),
    );

  it('20 callers at once make one license, which all of them get', async () => {
    const { id } = await app.product();
    await app.license();
    const { result, changes } = await app.changesBy(() =>
      Promise.all(Array.from({ length: 20 }, () => made(app.ctx, id, 'storefront:oit_1:1'))),
    );
    expect(new Set(result.map(({ license }) => license.id)).size).toBe(1);
    expect(result.filter(({ idempotent }) => !idempotent)).toHaveLength(1);
    expect(changes.events).toEqual(['LICENSE_CREATED']);
    expect(changes.rows).toMatchObject({ licenses: '+1', license_keys: '+1', license_idempotency: '+1' });
  });

  it('is not what an API key or a command has made under the same key', async () => {
    const { id } = await app.product();
    const secret = (await app.apiKey('CREATE_LICENSE')).secret;
    const header = { 'X-Idempotency-Key': 'storefront:oit_2:1' };
    const { body } = await app.post('/api/v1/license/create', asked(id), secret, header);
    const { license, idempotent } = await made(app.ctx, id, 'storefront:oit_2:1');
    expect([idempotent, license.id === String(body.license?.id)]).toEqual([false, false]);
  });

  it('leaves nothing when the transaction of its caller fails, and sells what is not sold any more', async () => {
    const { id } = await app.product();
    await products.setStatus(app.ctx, id, 'DISCONTINUED');
    const failing = () =>
      app.ctx.tx(async (ctx) => {
        await made(ctx, id, 'storefront:oit_3:1');
        throw new Error('the order could not be placed');
      });
    expect(await changes(() => failing().catch(() => undefined))).toEqual(nothing);
    expect((await made(app.ctx, id, 'storefront:oit_3:1')).idempotent).toBe(false);
  });
});

describe('renew, only forward (D38)', () => {
  const forward = (id: string, validUntil: string) =>
    licenses.renew(app.ctx, { licenseId: id }, validUntil, { onlyForward: true });

  it('moves a later end and tells LICENSE_RENEWED; never an earlier one, nor that of a license without an end', async () => {
    const { id } = await app.license({ type: 'SUBSCRIPTION', validUntil: inSeconds(10 * DAY) });
    expect(await changes(() => forward(id, inSeconds(20 * DAY)))).toEqual({
      events: ['LICENSE_RENEWED'],
      rows: { licenses: '~1' },
    });
    for (const days of [20, 15]) {
      expect(await changes(() => forward(id, inSeconds(days * DAY)))).toEqual(nothing);
      expect((await licenses.get(app.ctx, id)).validUntil).toBe(inSeconds(20 * DAY));
    }
    const endless = await app.license({ validUntil: null });
    expect(await changes(() => forward(endless.id, inSeconds(DAY)))).toEqual(nothing);
    // The refund of a period takes it back without that word.
    const back = () => licenses.renew(app.ctx, { licenseId: id }, inSeconds(5 * DAY));
    expect(await changes(back)).toEqual({ events: ['LICENSE_SHORTENED'], rows: { licenses: '~1' } });
  });

  it('makes EXPIRED ACTIVE; SUSPENDED stays so, REVOKED and a past end are refused', async () => {
    const { id } = await app.license({ type: 'SUBSCRIPTION', validUntil: inSeconds(60) });
    app.clock.advance(60);
    const { events } = await changes(() => forward(id, inSeconds(DAY)));
    expect(events).toEqual(['LICENSE_EXPIRED', 'LICENSE_RENEWED']);
    expect((await licenses.cardsOf(app.ctx, { ids: [id] }))[0]?.status).toBe('ACTIVE');
    await licenses.suspend(app.ctx, id, { reason: 'RETURN', note: null });
    expect((await forward(id, inSeconds(2 * DAY))).storedStatus).toBe('SUSPENDED');
    expect(await refused(() => forward(id, inSeconds(-1)))).toBe('VALIDATION_ERROR');
    await licenses.revoke(app.ctx, { licenseId: id }, 'REFUND');
    expect(await refused(() => forward(id, inSeconds(DAY)))).toBe('LICENSE_REVOKED');
  });
});

describe('convertTrial', () => {
  const convert = (id: string, type: licenses.Bought, validUntil: string | null) =>
    licenses.convertTrial(app.ctx, id, { type, validUntil });
  const sold: Changes = { events: ['LICENSE_RENEWED', 'LICENSE_UPDATED'], rows: { licenses: '~1' } };

  it('keeps key and machines, and tells the change and the renewal', async () => {
    for (const [type, validUntil] of [
      ['SUBSCRIPTION', inSeconds(30 * DAY)],
      ['PERPETUAL', null],
    ] as const) {
      const { id, key } = await app.license({ type: 'TRIAL', validUntil: inSeconds(7 * DAY) });
      expect((await activate(key, 'machine-a')).status).toBe(200);
      expect(await changes(() => convert(id, type, validUntil))).toEqual(sold);
      expect(await lastEvent(id, 'LICENSE_UPDATED')).toEqual({ fields: ['type', 'validUntil'] });
      expect(await lastEvent(id, 'LICENSE_RENEWED')).toMatchObject({
        status: 'ACTIVE',
        details: { previousValidUntil: inSeconds(7 * DAY), validUntil, previousStatus: 'ACTIVE' },
      });
      expect(await licenses.keyOf(app.ctx, id)).toBe(key);
      const [card] = await licenses.cardsOf(app.ctx, { ids: [id] });
      expect(card).toMatchObject({ type, validUntil, activationsUsed: 1 });
    }
  });

  it('of an expired trial brings it back; of a suspended one changes no status', async () => {
    const { id } = await app.license({ type: 'TRIAL', validUntil: inSeconds(60) });
    app.clock.advance(60);
    expect(await convert(id, 'SUBSCRIPTION', inSeconds(DAY))).toMatchObject({ storedStatus: 'ACTIVE' });
    const other = await app.license({ type: 'TRIAL', validUntil: inSeconds(60) });
    await licenses.suspend(app.ctx, other.id, { reason: 'DISPUTE', note: null });
    expect(await convert(other.id, 'PERPETUAL', null)).toMatchObject({ storedStatus: 'SUSPENDED' });
  });

  it('of a license that is of the type already moves its end alone', async () => {
    const { id } = await app.license({ type: 'SUBSCRIPTION', validUntil: inSeconds(DAY) });
    expect(await changes(() => convert(id, 'SUBSCRIPTION', inSeconds(2 * DAY)))).toEqual({
      events: ['LICENSE_RENEWED'],
      rows: { licenses: '~1' },
    });
    expect(await changes(() => convert(id, 'SUBSCRIPTION', inSeconds(2 * DAY)))).toEqual(nothing);
  });

  it('refuses other types with a way out, past ends, revoked and unknown licenses', async () => {
    const { id } = await app.license({ type: 'BETA', validUntil: inSeconds(DAY) });
    const { code, details } = await refusalOf(convert(id, 'PERPETUAL', null));
    expect([code, details]).toEqual([
      'CONFLICT',
      { reason: 'NO_TRIAL', type: 'BETA', hint: `appctl license update ${id} --type PERPETUAL` },
    ]);
    const trial = await app.license({ type: 'TRIAL', validUntil: null });
    expect(await refused(() => convert(trial.id, 'SUBSCRIPTION', inSeconds(-1)))).toBe('VALIDATION_ERROR');
    await licenses.revoke(app.ctx, { licenseId: trial.id }, null);
    expect(await refused(() => convert(trial.id, 'PERPETUAL', null))).toBe('LICENSE_REVOKED');
    expect(await refused(() => convert('lic_unknown', 'PERPETUAL', null))).toBe('NOT_FOUND');
  });
});

describe('setSeats (D61)', () => {
  it('raises, and lowers below what is in use: what is too much stays until it ends', async () => {
    const { id, key } = await app.license({ maxActivations: 2 });
    const set = (most: number) => changes(() => licenses.setSeats(app.ctx, id, most));
    const one: Changes = { events: ['LICENSE_UPDATED'], rows: { licenses: '~1' } };
    expect(await set(4)).toEqual(one);
    for (const machineId of ['machine-a', 'machine-b', 'machine-c'])
      expect((await activate(key, machineId)).status).toBe(200);
    expect(await set(1)).toEqual(one);
    expect(await set(1)).toEqual(nothing);
    expect((await licenses.cardsOf(app.ctx, { ids: [id] }))[0]).toMatchObject({
      activationsUsed: 3,
      maxActivations: 1,
    });
    expect((await activate(key, 'machine-a')).status).toBe(200);
    expect((await activate(key, 'machine-d')).body.error?.code).toBe('ACTIVATION_FAILED');
    for (const most of [0, 1001, 1.5])
      expect(await refused(() => licenses.setSeats(app.ctx, id, most))).toBe('VALIDATION_ERROR');
    expect(await refused(() => licenses.setSeats(app.ctx, 'lic_unknown', 1))).toBe('NOT_FOUND');
  });
});

describe('cardsOf', () => {
  it('shows a license without its key, as it is now', async () => {
    const policy = await app.policy({ maxUses: 50 });
    const product = await app.product({ policyId: policy.id });
    const { id, key } = await app.license({
      productId: product.id,
      type: 'SUBSCRIPTION',
      tier: 'BUSINESS',
      validUntil: inSeconds(60),
      maxActivations: 3,
      orderId: 'ON-7',
      customerEmail: 'Bob@X.test',
    });
    await activate(key, 'machine-a');
    app.clock.advance(60);
    const cards = await licenses.cardsOf(app.ctx, { orderId: 'ON-7' });
    expect(cards).toEqual([
      {
        id,
        product: { id: product.id, name: product.name, slug: product.slug },
        keyMasked: `${key.slice(0, 8)}-****-****-****`,
        keyPrefix: key.slice(0, 8),
        status: 'EXPIRED',
        type: 'SUBSCRIPTION',
        tier: 'BUSINESS',
        validUntil: inSeconds(0),
        activationsUsed: 1,
        maxActivations: 3,
        currentUses: 0,
        maxUses: 50,
        orderId: 'ON-7',
        customerEmail: expect.stringMatching(/^bob@x\.test$/i),
      },
    ]);
    expect(JSON.stringify(cards)).not.toContain(key);
    expect(await licenses.cardsOf(app.ctx, { orderId: 'on-7' })).toEqual([]);
  });

  it('comes in the order of creation, however many are asked for; without the trash and others’', async () => {
    const { id: productId } = await app.product();
    const made: string[] = [];
    for (let n = 0; n < 70; n++) {
      made.push((await app.license({ productId, orderId: 'ON-70' })).id);
      if (n % 20 === 0) app.clock.advance(1);
    }
    const ids = async (named: Parameters<typeof licenses.cardsOf>[1], ctx = app.ctx) =>
      (await licenses.cardsOf(ctx, named)).map(({ id }) => id);
    const sorted = made.toSorted();
    expect(await ids({ orderId: 'ON-70' })).toEqual(sorted);
    expect(await ids({ ids: [...made.toReversed(), ...made, 'lic_unknown'] })).toEqual(sorted);
    await licenses.trash(app.ctx, String(sorted[0]), null);
    expect(await ids({ orderId: 'ON-70' })).toEqual(sorted.slice(1));
    expect(await ids({ ids: sorted.slice(0, 2) })).toEqual(sorted.slice(1, 2));
    expect(await ids({ ids: [] })).toEqual([]);
    const other = await app.otherTenant();
    expect([await ids({ orderId: 'ON-70' }, other), await ids({ ids: made }, other)]).toEqual([[], []]);
    const confined = app.ctx.with({
      actor: { kind: 'staff', id: 'adm_1', label: null, scopes: { license_product: ['prd_other'] } },
    });
    expect(await ids({ orderId: 'ON-70' }, confined)).toEqual([]);
  });
});

describe('the whole key', () => {
  it('keyOf writes nothing', async () => {
    const { id, key } = await app.license();
    const { result, changes } = await app.changesBy(() => licenses.keyOf(app.ctx, id));
    expect([result, changes]).toEqual([key, nothing]);
    expect(await refused(() => licenses.keyOf(app.ctx, 'lic_unknown'))).toBe('NOT_FOUND');
  });

  it('revealToOwner is told in the timeline and the audit log, by whom, and to no webhook', async () => {
    const { id, key } = await app.license();
    const { result, changes } = await app.changesBy(() => licenses.revealToOwner(customer, id));
    expect(result).toBe(key);
    expect(changes).toEqual({ events: ['LICENSE_KEY_REVEALED'], rows: {} });
    const { knex } = app.instance.database.db;
    const [event] = await knex('events').where({ subject: id, type: 'LICENSE_KEY_REVEALED' });
    expect(event).toMatchObject({ actor_kind: 'customer', actor_id: 'cus_ann' });
    const [row] = await knex('audit_log').where({ target_id: id, action: 'LICENSE_KEY_REVEALED' });
    expect(row).toMatchObject({ actor_kind: 'customer', actor_id: 'cus_ann', target_type: 'licenses' });
    expect(JSON.stringify([event, row])).not.toContain(key);
    expect(subscribes(['*', 'LICENSE_KEY_REVEALED'], 'LICENSE_KEY_REVEALED')).toBe(false);
    expect(await refused(() => licenses.revealToOwner(customer, 'lic_unknown'))).toBe('NOT_FOUND');
  });

  it('a reveal whose caller fails leaves no trace', async () => {
    const { id } = await app.license();
    const failing = () =>
      customer.tx(async (ctx) => {
        await licenses.revealToOwner(ctx, id);
        throw new Error('the answer could not be made');
      });
    expect(await changes(() => failing().catch(() => undefined))).toEqual(nothing);
  });
});

describe('products of a picker', () => {
  it('come by name, whatever their status, each with its own policy first', async () => {
    const [one, two] = [await app.policy({ name: 'A policy' }), await app.policy({ name: 'Zoo policy' })];
    const product = await app.product({ name: 'Picked Zoo', policyId: two.id, defaultMaxActivations: 4 });
    await products.setStatus(app.ctx, product.id, 'DISCONTINUED');
    const [picked, ...others] = await products.pickable(app.ctx, { q: 'picked z', limit: 10 });
    expect(others).toEqual([]);
    expect(picked).toEqual({
      id: product.id,
      name: 'Picked Zoo',
      slug: product.slug,
      status: 'DISCONTINUED',
      defaultType: 'PERPETUAL',
      defaultMaxActivations: 4,
      policies: expect.arrayContaining([{ id: one.id, name: one.name }]),
    });
    expect(picked?.policies[0]).toEqual({ id: two.id, name: two.name });
    expect(picked?.policies.filter(({ id }) => id === two.id)).toHaveLength(1);
    expect(await products.pickable(app.ctx, { limit: 2 })).toHaveLength(2);
  });
});
