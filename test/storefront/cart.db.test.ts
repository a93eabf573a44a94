// The cart of a shopper: lines, bounds, codes, what has changed since (storefront-domain 7).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as carts from '#storefront/buying/cart/index.ts';
import type { CartShown } from '#storefront/buying/cart/view.ts';
import { guestOf } from '#storefront/people/customers/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { type AddedShown, detailsOf, newShopper } from './shopper.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let staff: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp({ pins: { payment_processor: 'offline' } });
  staff = await storeClient(app);
});
afterAll(() => app.close());

/** An active product with one variant. */
async function sold(variant: object = {}, product: object = {}): Promise<string> {
  const made = await staff.data('/products', 'POST', mug({ status: 'active', ...product }));
  const [{ id }] = made.variants as [{ id: string }];
  if (Object.keys(variant).length > 0) await staff.data(`/variants/${id}`, 'PATCH', variant);
  return id;
}

/** A variant of which there are so many. */
async function stocked(units: number): Promise<string> {
  const made = await staff.data(
    '/products',
    'POST',
    mug({
      status: 'active',
      variants: [{ sku: `STOCK-${crypto.randomUUID()}`, price_cents: 1900, stock: units }],
    }),
  );
  return (made.variants as [{ id: string }])[0].id;
}

it('begins empty and stores nothing; the first line makes cart and session, and the same thing raises it', async () => {
  const ann = await newShopper(app);
  const variantId = await sold();
  const { result: empty, changes: none } = await app.changesBy(() => ann.data('/cart'));
  expect(empty).toMatchObject({ items: [], item_count: 0, total_cents: 0, amount_due_cents: 0, changes: [] });
  expect(none).toEqual({ events: [], rows: {} });
  const { result: first, changes } = await app.changesBy(() =>
    ann.data<AddedShown>('/cart/add', { variant_id: variantId }),
  );
  expect(changes).toEqual({ events: [], rows: { carts: '+1', cart_items: '+1', sessions: '+1' } });
  expect(first).toMatchObject({
    added: { item_id: first.items[0]?.id, quantity: 1, capped: false },
    items: [{ variant_id: variantId, quantity: 1, unit_cents: 1900, total_cents: 1900, variant_title: null }],
    total_cents: 1900,
  });
  const again = await ann.data<AddedShown>('/cart/add', { variant_id: variantId, quantity: 2 });
  expect(again.items).toHaveLength(1);
  expect(again).toMatchObject({ item_count: 3, total_cents: 5700, added: { quantity: 3 } });
  expect((await (await newShopper(app)).data('/cart')).items).toEqual([]);
});

it('takes quantities from 1 to 999 and nothing else, whatever stands beside them', async () => {
  const ann = await newShopper(app);
  const variantId = await sold();
  for (const quantity of [0, -1, 1.5, 1000, '2', 1e12])
    expect(await ann.refusal('/cart/add', { variant_id: variantId, quantity })).toEqual([
      400,
      'VALIDATION_ERROR',
      undefined,
    ]);
  expect(await ann.refusal('/cart/add', {})).toEqual([400, 'VALIDATION_MISSING_FIELD', undefined]);
  const cart = await ann.data('/cart/add', {
    variant_id: variantId,
    unit_cents: 1,
    price_cents: 1,
    currency: 'EUR',
    total_cents: 0,
  });
  expect(cart).toMatchObject({ total_cents: 1900, currency: 'USD' });
});

it('sells what is shown and what there is: drafts and unknown variants are not found, more than the stock is lowered', async () => {
  const ann = await newShopper(app);
  const draft = await staff.data('/products', 'POST', mug());
  const [{ id: hidden }] = draft.variants as [{ id: string }];
  expect(await ann.refusal('/cart/add', { variant_id: hidden })).toEqual([404, 'NOT_FOUND', undefined]);
  expect(await ann.refusal('/cart/add', { variant_id: 'var_unknown' })).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
  const three = await stocked(3);
  expect(await ann.data('/cart/add', { variant_id: three, quantity: 5 })).toMatchObject({
    added: { quantity: 3, capped: true },
    items: [{ max_quantity: 3, warnings: [] }],
  });
  const none = await stocked(0);
  expect(await ann.refusal('/cart/add', { variant_id: none })).toEqual([
    400,
    'VALIDATION_ERROR',
    'OUT_OF_STOCK',
  ]);
  const few = await sold({}, { min_quantity: 2, max_quantity: 4 });
  expect((await ann.data<AddedShown>('/cart/add', { variant_id: few })).added).toMatchObject({ quantity: 2 });
  expect((await ann.data<AddedShown>('/cart/add', { variant_id: few, quantity: 9 })).added).toMatchObject({
    quantity: 4,
    capped: true,
  });
});

it('changes and removes its own lines, by item or by the only line of a variant, and never another cart’s', async () => {
  const [ann, bob] = [await newShopper(app), await newShopper(app)];
  const variantId = await sold();
  const { items } = await ann.data<AddedShown>('/cart/add', { variant_id: variantId, quantity: 2 });
  expect(await bob.refusal('/cart/update', { item_id: items[0]?.id, quantity: 1 })).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
  expect(await ann.data('/cart/update', { item_id: items[0]?.id, quantity: 5 })).toMatchObject({
    item_count: 5,
  });
  expect(await ann.data('/cart/update', { variant_id: variantId, quantity: 1 })).toMatchObject({
    item_count: 1,
  });
  expect(await ann.refusal('/cart/update', { quantity: 1 })).toEqual([
    400,
    'VALIDATION_MISSING_FIELD',
    undefined,
  ]);
  expect(await ann.data('/cart/remove', { item_id: items[0]?.id })).toMatchObject({ items: [] });
  await ann.data('/cart/add', { variant_id: variantId });
  expect(await ann.data('/cart/clear', {})).toMatchObject({ items: [], codes: [] });
});

it('reports what has changed since the shopper looked, until a change or a word of theirs accepts it', async () => {
  const ann = await newShopper(app);
  const [dear, scarce, gone] = [await sold(), await stocked(5), await sold()];
  for (const variant_id of [dear, gone]) await ann.data('/cart/add', { variant_id });
  await ann.data('/cart/add', { variant_id: scarce, quantity: 4 });
  await staff.data(`/variants/${dear}`, 'PATCH', { price_cents: 2100 });
  await staff.data(`/inventory/${scarce}/adjust`, 'POST', { delta: -3, reason: 'correction' });
  const product = await app.instance.database.db
    .knex('product_variants')
    .where({ id: gone })
    .first('product_id');
  await staff.data(`/products/${product.product_id}`, 'PATCH', { status: 'draft' });
  const { changes } = await ann.data('/cart');
  expect(changes).toEqual([
    expect.objectContaining({ kind: 'removed', before: 1, after: 0 }),
    expect.objectContaining({ kind: 'price', before: 1900, after: 2100 }),
    expect.objectContaining({ kind: 'stock', before: 4, after: 2 }),
  ]);
  expect((await ann.data('/cart')).changes).toHaveLength(3);
  const accepted = await ann.data('/cart/accept-changes', {});
  expect(accepted).toMatchObject({ changes: [], item_count: 3, total_cents: 2100 + 2 * 1900 });
});

it('takes codes, says what becomes of them, and that one has ended', async () => {
  const ann = await newShopper(app);
  await ann.data('/cart/add', { variant_id: await sold() });
  const code = `TEN-${Date.now()}`;
  const promotion = await staff.data('/promotions', 'POST', {
    name: 'Ten off',
    code,
    type: 'coupon',
    effect: 'percent',
    percent_bps: 1000,
    status: 'active',
  });
  expect(await ann.refusal('/cart/coupon', { code: 'NO-SUCH-CODE' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'PROMOTION_INVALID',
  ]);
  expect(await ann.data('/cart/coupon', { code: code.toLowerCase() })).toMatchObject({
    code_result: { outcome: 'applied', reason: null },
    discount_cents: 190,
    total_cents: 1710,
    promotions_applied: [{ id: promotion.id, amount_cents: 190 }],
  });
  await staff.data(`/promotions/${promotion.id}/archive`, 'POST', {});
  const after = await ann.data('/cart');
  expect(after).toMatchObject({
    total_cents: 1900,
    promotions_not_applied: [{ id: promotion.id, reason: 'expired' }],
    changes: [{ kind: 'promotion', before: 190, after: 0 }],
  });
  expect((await ann.data('/cart/coupon/remove', { code })).codes).toEqual([]);
});

it('estimates shipping for a place, and offers nothing where nothing is shipped', async () => {
  const ann = await newShopper(app);
  await ann.data('/cart/add', { variant_id: await sold() });
  expect(await ann.data('/cart/estimate', { country: 'DE' })).toMatchObject({
    shipping_methods: [],
    total_cents: 1900,
  });
  const zone = await staff.data('/shipping/zones', 'POST', { name: 'Germany', regions: [{ country: 'DE' }] });
  const method = await staff.data(`/shipping/zones/${zone.id}/methods`, 'POST', {
    name: 'Parcel',
    kind: 'flat',
  });
  await staff.data(`/shipping/methods/${method.id}/rates`, 'PUT', { rates: [{ price_cents: 500 }] });
  expect(await ann.data('/cart/estimate', { country: 'DE' })).toMatchObject({
    shipping_methods: [{ name: 'Parcel', price_cents: 500 }],
    total_cents: 2400,
  });
  expect(await ann.refusal('/cart/estimate', { country: 'XX' })).toEqual([
    400,
    'VALIDATION_ERROR',
    undefined,
  ]);
});

it('demands the token of the session, and no program’s key', async () => {
  const ann = await newShopper(app);
  const variantId = await sold();
  const body = { variant_id: variantId };
  const bare = await app.send('/api/store/cart/add', { method: 'POST', body });
  expect([bare.status, bare.body.error_code]).toEqual([403, 'AUTH_FORBIDDEN']);
  const foreign = await ann.post('/cart/add', body, { Origin: 'https://evil.test' });
  expect([foreign.status, detailsOf(foreign).reason]).toEqual([403, 'CSRF']);
  const keyed = await app.send('/api/store/cart', { headers: { Authorization: 'Bearer ask_x' } });
  expect(keyed.status).toBe(401);
});

it('brings two carts together at sign-in: sums equal lines, moves the others, loses none', async () => {
  const [shared, own, guests] = [await stocked(6), await sold(), await sold()];
  const { id: customerId } = await guestOf(app.ctx, { email: `merge-${Date.now()}@x.test` });
  const customer = { customerId, sessionKey: null };
  const guest = { customerId: null, sessionKey: 'f'.repeat(64) };
  await carts.add(app.ctx, customer, { variantId: shared, quantity: 4 });
  await carts.add(app.ctx, customer, { variantId: own, quantity: 1 });
  await carts.add(app.ctx, guest, { variantId: shared, quantity: 5 });
  await carts.add(app.ctx, guest, { variantId: guests, quantity: 2 });
  const { capped } = await carts.merge(app.ctx, { sessionKey: guest.sessionKey, customerId });
  expect(capped).toEqual([expect.objectContaining({ wanted: 9, quantity: 6 })]);
  const { lines } = await carts.get(app.ctx, customer);
  expect(lines.map(({ line }) => [line.variantId, line.quantity])).toEqual([
    [shared, 6],
    [own, 1],
    [guests, 2],
  ]);
  expect((await carts.get(app.ctx, guest)).lines).toEqual([]);
  expect(await carts.merge(app.ctx, { sessionKey: guest.sessionKey, customerId })).toEqual({
    moved: 0,
    capped: [],
  });
});

it('keeps the cart of a guest as long as the cart lives, also beyond the age of sessions', async () => {
  const DAY = 86_400;
  const ann = await newShopper(app);
  const { id } = await ann.data('/cart/add', { variant_id: await sold() });
  const item = async () => (await ann.data<CartShown>('/cart')).items.length;
  const [cookie] = (await ann.browser.open('/shop/cart')).headers['set-cookie'] ?? [];
  expect(cookie).toBeUndefined();
  app.clock.advance(59 * DAY);
  await runJob(app.ctx, 'purge-sessions');
  await runJob(app.ctx, 'expire-carts');
  expect(await item()).toBe(1);
  // Touched again, it lives as long once more, and so does its cookie.
  const added = await ann.post('/cart/add', { variant_id: await sold() });
  const set = String(added.headers['set-cookie']);
  expect(Date.parse(/expires=([^;]+)/i.exec(set)?.[1] ?? '') - Date.parse(app.ctx.now())).toBeGreaterThan(
    60 * DAY * 1000,
  );
  expect(set).toContain('HttpOnly');
  app.clock.advance(59 * DAY);
  await runJob(app.ctx, 'purge-sessions');
  await runJob(app.ctx, 'expire-carts');
  expect(await item()).toBe(2);
  app.clock.advance(3 * DAY);
  await runJob(app.ctx, 'expire-carts');
  await runJob(app.ctx, 'purge-sessions');
  expect(await item()).toBe(0);
  const sessions = app.instance.database.db.knex('sessions');
  expect(await sessions.whereNotNull('kept_until').where('kept_until', '<', app.ctx.now())).toEqual([]);
  expect(id).toMatch(/^crt_/);
});

it('is given up after the days of its setting, and goes some time later', async () => {
  const ann = await newShopper(app);
  const { id } = await ann.data('/cart/add', { variant_id: await sold() });
  const state = () => app.instance.database.db.knex('carts').where({ id }).first('status');
  app.clock.advance(61 * 86_400);
  await runJob(app.ctx, 'expire-carts');
  expect(await state()).toEqual({ status: 'expired' });
  app.clock.advance(61 * 86_400);
  await runJob(app.ctx, 'expire-carts');
  expect(await state()).toBeUndefined();
});
