// Promotions for staff: how they are made, changed, started, ended and copied, and what is refused.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as apiKeys from '#storefront/tools/api-keys/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { another, mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const make = (fields: object = {}) =>
  client.data('/promotions', 'POST', {
    name: `Promotion ${another()}`,
    effect: 'percent',
    percent_bps: 1000,
    ...fields,
  });
const faultOf = async (path: string, method: string, body: unknown) => {
  const { status, body: answer } = await client.send(path, method, body);
  const details = answer.details as unknown as { fields?: { field: string }[] } | undefined;
  return [status, answer.error_code, details?.fields?.[0]?.field];
};
const refused = (fields: object) =>
  faultOf('/promotions', 'POST', { name: 'Bad', effect: 'percent', percent_bps: 1000, ...fields });
const wrong = (field: string) => [400, 'VALIDATION_ERROR', field];
const missing = (field: string) => [400, 'VALIDATION_MISSING_FIELD', field];
const transition = [400, 'VALIDATION_ERROR', 'INVALID_TRANSITION'];
const duplicate = [400, 'VALIDATION_ERROR', 'DUPLICATE'];
const redeemed = (promotionId: string, orderId: string) => {
  const now = app.ctx.now();
  return app.ctx.tx(async ({ db }) => {
    await db.knex('promotion_redemptions').insert({
      id: app.ctx.newId('prr'),
      promotion_id: promotionId,
      code_id: null,
      order_id: orderId,
      customer_id: null,
      email_norm: 'bob@x.test',
      amount_cents: 500,
      status: 'held',
      created_at: now,
      updated_at: now,
    });
    await db.knex('promotions').where({ id: promotionId }).update({ used_count: 1, locked_at: now });
  });
};

it('10 % off everything with a code is a name, an effect, a percentage and a code', async () => {
  const { result: made, changes } = await app.changesBy(() =>
    client.data('/promotions', 'POST', { name: 'Ten', effect: 'percent', percent_bps: 1000, code: ' ten ' }),
  );
  expect(made).toEqual({
    id: expect.stringMatching(/^pro_/),
    name: 'Ten',
    type: 'coupon',
    class: 'order',
    effect: 'percent',
    value: 1000,
    percent_bps: 1000,
    amount_cents: null,
    scope: 'per_unit',
    applies_to: 'all',
    excludes: null,
    exclude_sale: false,
    max_units: null,
    max_discount_cents: null,
    buy: null,
    get: null,
    buy_quantity: null,
    get_quantity: null,
    get_effect: 'percent',
    get_value: 10_000,
    get_percent_bps: 10_000,
    get_amount_cents: null,
    get_selection: 'grouped',
    max_sets: null,
    min_subtotal_cents: null,
    min_quantity: null,
    customer_rule: { kind: 'all', values: [] },
    shipping_rule: { countries: [], method_ids: [] },
    schedule_rule: null,
    code: 'ten',
    priority: 100,
    stackable: false,
    combines_with: [],
    exclusion_group: null,
    usage_limit: null,
    usage_limit_per_customer: null,
    used_count: 0,
    saved_cents: 0,
    code_count: 0,
    currency: 'USD',
    status: 'draft',
    display_status: 'draft',
    starts_at: null,
    ends_at: null,
    locked_at: null,
    named: [],
    version: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(changes).toEqual({
    events: ['promotion.created'],
    rows: { promotions: '+1', code_registry: '+1' },
  });
  const changed = await app.changesBy(() =>
    client.data(`/promotions/${made.id}`, 'PATCH', { percent_bps: 1500, version: 1 }),
  );
  expect(changed.result).toMatchObject({ value: 1500, version: 2 });
  expect(changed.changes.events).toEqual(['promotion.updated']);
  const again = await app.changesBy(() => client.data(`/promotions/${made.id}`, 'PATCH', { name: 'Ten' }));
  expect(again.changes.rows).toEqual({});
  expect(await client.refusal(`/promotions/${made.id}`, 'PATCH', { name: 'x', version: 1 })).toEqual([
    400,
    'VALIDATION_ERROR',
    'STALE_VERSION',
  ]);
  const listed = await client.send('/promotions?q=TEN&status=draft&type=coupon&class=order');
  expect((listed.body.data as unknown as { id: string }[]).map(({ id }) => id)).toContain(made.id);
});

it('derives its type and class, and takes the design’s own value, too', async () => {
  expect(await make()).toMatchObject({ type: 'automatic', class: 'order' });
  expect(await make({ percent_bps: undefined, value: 500 })).toMatchObject({ percent_bps: 500 });
  expect(await make({ applies_to: { tags: ['Sale'] } })).toMatchObject({
    class: 'item',
    applies_to: { tags: ['SALE'] },
  });
  const free = { name: 'Free', effect: 'free_shipping' };
  expect(await client.data('/promotions', 'POST', free)).toMatchObject({ class: 'shipping', value: 0 });
  const bogo = { name: 'B', effect: 'bogo', buy: 'all', buy_quantity: 2, get_quantity: 1 };
  expect(await client.data('/promotions', 'POST', bogo)).toMatchObject({
    type: 'bogo',
    class: 'item',
    get: null,
    get_value: 10_000,
  });
});

it('names goods by id, slug or SKU, and refuses what does not exist', async () => {
  const category = await client.data('/categories', 'POST', { name: `Mugs ${another()}` });
  const collection = await client.data('/collections', 'POST', {
    title: `Picks ${another()}`,
    kind: 'manual',
  });
  const product = await client.data('/products', 'POST', mug());
  const [variant] = product.variants as { id: string; sku: string }[];
  const made = await make({
    applies_to: {
      categories: [category.slug],
      collections: [collection.id],
      products: [product.slug, product.id],
      variants: [variant?.sku.toLowerCase()],
      tags: ['sale', 'SALE '],
    },
    excludes: { products: [product.slug] },
  });
  expect(made).toMatchObject({
    applies_to: {
      categories: [category.id],
      collections: [collection.id],
      products: [product.id],
      variants: [variant?.id],
      tags: ['SALE'],
    },
    excludes: { products: [product.id] },
  });
  expect(made.named).toEqual(
    expect.arrayContaining([
      { id: category.id, kind: 'categories', name: category.slug, title: category.name },
      { id: variant?.id, kind: 'variants', name: variant?.sku, title: variant?.sku },
    ]),
  );
  for (const kind of ['products', 'variants', 'categories', 'collections'])
    expect(await refused({ applies_to: { [kind]: ['no-such'] } })).toEqual(wrong(`applies_to.${kind}.0`));
  expect(await refused({ applies_to: {} })).toEqual(wrong('applies_to'));
  expect(await refused({ applies_to: { products: [] } })).toEqual(wrong('applies_to'));
  expect(await refused({ applies_to: 'some' })).toEqual(wrong('applies_to'));
  expect(await refused({ applies_to: { products: 'all' } })).toEqual(wrong('applies_to'));
});

it('refuses what makes no sense', async () => {
  expect(await faultOf('/promotions', 'POST', {})).toEqual(missing('name'));
  expect(await refused({ percent_bps: undefined })).toEqual(missing('percent_bps'));
  expect(await refused({ percent_bps: 0 })).toEqual(wrong('percent_bps'));
  expect(await refused({ percent_bps: 10_001 })).toEqual(wrong('percent_bps'));
  expect(await refused({ percent_bps: 12.5 })).toEqual(wrong('percent_bps'));
  expect(await refused({ percent_bps: undefined, value: 0 })).toEqual(wrong('value'));
  expect(await refused({ amount_cents: 500 })).toEqual(wrong('amount_cents'));
  expect(await refused({ effect: 'half' })).toEqual(wrong('effect'));
  expect(await refused({ effect: 'fixed_amount', percent_bps: undefined })).toEqual(missing('amount_cents'));
  expect(await refused({ effect: 'fixed_amount' })).toEqual(missing('amount_cents'));
  expect(await refused({ effect: 'free_shipping' })).toEqual(wrong('percent_bps'));
  const price = { effect: 'fixed_price', percent_bps: undefined, amount_cents: 500 };
  expect(await refused({ ...price, class: 'order' })).toEqual(wrong('class'));
  expect(await refused({ ...price, amount_cents: -1 })).toEqual(wrong('amount_cents'));
  expect(await refused({ type: 'bogo' })).toEqual(wrong('type'));
  expect(await refused({ type: 'automatic', code: 'AUTO' })).toEqual(wrong('code'));
  expect(await refused({ scope: 'once' })).toEqual(wrong('scope'));
  expect(await refused({ max_units: 3 })).toEqual(wrong('max_units'));
  expect(await refused({ class: 'order', applies_to: { tags: ['a'] } })).toEqual(wrong('applies_to'));
  expect(await refused({ buy: 'all' })).toEqual(wrong('buy'));
  expect(await refused({ starts_at: '2027-01-01T00:00:00Z', ends_at: '2027-01-01T00:00:00Z' })).toEqual(
    wrong('ends_at'),
  );
  expect(await refused({ schedule_rule: { days: [1], from: '12:00', to: '12:00' } })).toEqual(
    wrong('schedule_rule.to'),
  );
  expect(await refused({ schedule_rule: { days: [8], from: '09:00', to: '24:00' } })).toEqual(
    wrong('schedule_rule.days.0'),
  );
  expect(await refused({ shipping_rule: { countries: ['DE'] } })).toEqual(wrong('shipping_rule'));
  const shipping = { class: 'shipping', shipping_rule: { countries: ['XX'] } };
  expect(await refused(shipping)).toEqual(wrong('shipping_rule.countries.0'));
  expect(await refused({ class: 'shipping', shipping_rule: { method_ids: ['smt_no'] } })).toEqual(
    wrong('shipping_rule.method_ids.0'),
  );
  expect(await refused({ customer_rule: { kind: 'email_domains' } })).toEqual(wrong('customer_rule.values'));
  expect(await refused({ customer_rule: { kind: 'groups', values: ['cgr_no'] } })).toEqual(
    wrong('customer_rule.values.0'),
  );
  for (const code of ['x', 'a b', '=1+1', '<b>', 'x'.repeat(41), ''])
    expect([code, ...(await refused({ code }))]).toEqual([code, ...wrong('code')]);
  const bogo = { name: 'B', effect: 'bogo' };
  expect(await faultOf('/promotions', 'POST', bogo)).toEqual(missing('buy_quantity'));
  const full = { ...bogo, buy: 'all', buy_quantity: 1, get_quantity: 1 };
  expect(await faultOf('/promotions', 'POST', { ...full, type: 'coupon' })).toEqual(wrong('type'));
  expect(await faultOf('/promotions', 'POST', { ...full, get_amount_cents: 1 })).toEqual(
    wrong('get_amount_cents'),
  );
  expect(await faultOf('/promotions', 'POST', { ...full, applies_to: { tags: ['a'] } })).toEqual(
    wrong('applies_to'),
  );
  expect((await client.send('/promotions/pro_no')).status).toBe(404);
  expect((await client.send('/promotions/pro_no', 'PATCH', { name: 'x' })).status).toBe(404);
  expect((await client.send('/promotions/pro_no/codes')).status).toBe(404);
  expect((await client.send('/promotions?page=0')).status).toBe(400);
  expect((await client.send('/promotions?status=gone')).status).toBe(400);
});

it('takes a code once, in whatever case, until its promotion is archived or gone', async () => {
  const first = await make({ code: 'Once' });
  expect(await client.refusal('/promotions', 'POST', { ...promo, code: 'ONCE' })).toEqual(duplicate);
  const many = await make({ type: 'coupon' });
  const codes = `/promotions/${many.id}/codes`;
  expect(await client.refusal(codes, 'POST', { codes: ['once'] })).toEqual(duplicate);
  const other = await make({ code: 'OTHER' });
  expect(await client.refusal(`/promotions/${other.id}`, 'PATCH', { code: 'once' })).toEqual(duplicate);
  await client.data(`/promotions/${first.id}/archive`, 'POST', {});
  expect(await client.data(`/promotions/${other.id}`, 'PATCH', { code: 'once' })).toMatchObject({
    code: 'once',
  });
  await make({ code: 'other' });
  await client.data(`/promotions/${other.id}`, 'DELETE');
  await make({ code: 'ONCE' });
});
const promo = { name: 'P', effect: 'percent', percent_bps: 1000 };

it('is activated, paused and archived, and a coupon needs a code for it', async () => {
  const made = await make({ type: 'coupon' });
  const path = `/promotions/${made.id}`;
  expect(await client.refusal(`${path}/activate`, 'POST', {})).toEqual(transition);
  expect(await client.refusal('/promotions', 'POST', { ...promo, type: 'coupon', status: 'active' })).toEqual(
    transition,
  );
  expect(await client.refusal(`${path}/pause`, 'POST', {})).toEqual(transition);
  await client.data(`${path}/codes`, 'POST', { count: 1 });
  expect(await client.data(`${path}/activate`, 'POST', {})).toMatchObject({
    status: 'active',
    display_status: 'active',
    code_count: 1,
  });
  expect(await client.refusal(`${path}/activate`, 'POST', {})).toEqual(transition);
  expect(await client.data(`${path}/pause`, 'POST', {})).toMatchObject({ display_status: 'paused' });
  expect(await client.data(`${path}/activate`, 'POST', { version: 3 })).toMatchObject({ version: 4 });
  expect(await client.data(`${path}/archive`, 'POST', {})).toMatchObject({ display_status: 'archived' });
  for (const step of ['activate', 'pause', 'archive'])
    expect([step, ...(await client.refusal(`${path}/${step}`, 'POST', {}))]).toEqual([step, ...transition]);
  expect(await client.refusal(path, 'PATCH', { name: 'x' })).toEqual(transition);
  expect(await client.refusal(`${path}/codes`, 'POST', { count: 1 })).toEqual(transition);
  const own = await make({ code: `OWN-${another()}`, status: 'active' });
  expect(await client.refusal(`/promotions/${own.id}`, 'PATCH', { code: null })).toEqual(transition);
});

it('shows at its times what it comes to', async () => {
  const shown = async (fields: object) => (await make({ status: 'active', ...fields })).display_status;
  const now = Date.parse(app.ctx.now());
  const at = (ms: number) => new Date(now + ms).toISOString();
  expect(await shown({ starts_at: at(60_000) })).toBe('scheduled');
  expect(await shown({ ends_at: at(-60_000) })).toBe('expired');
  expect(await shown({ starts_at: at(-60_000), ends_at: at(60_000) })).toBe('active');
  const once = await make({ status: 'active', usage_limit: 1 });
  await redeemed(once.id, 'ord_once');
  expect(await client.data(`/promotions/${once.id}`)).toMatchObject({
    display_status: 'exhausted',
    used_count: 1,
    saved_cents: 500,
  });
});

it('is worth the same once an order has used it, and is copied to be changed', async () => {
  const made = await make({ code: `USED-${another()}`, status: 'active' });
  const path = `/promotions/${made.id}`;
  await redeemed(made.id, 'ord_used');
  expect(await client.refusal(path, 'PATCH', { percent_bps: 2000 })).toEqual(transition);
  expect(await client.refusal(path, 'PATCH', { max_discount_cents: 1 })).toEqual(transition);
  expect(await client.data(path, 'PATCH', { name: 'Renamed', usage_limit: 1 })).toMatchObject({
    name: 'Renamed',
    used_count: 1,
  });
  const copy = await client.data(`${path}/duplicate`, 'POST', { name: 'Copy' });
  expect(copy).toMatchObject({
    name: 'Copy',
    status: 'draft',
    code: null,
    type: 'coupon',
    used_count: 0,
    locked_at: null,
    percent_bps: 1000,
  });
  expect(await client.data(`/promotions/${copy.id}`, 'PATCH', { percent_bps: 2000 })).toMatchObject({
    percent_bps: 2000,
  });
  expect(await client.data(`${path}/duplicate`, 'POST', {})).toMatchObject({ name: 'Renamed (copy)' });
  const uses = await client.send(`${path}/redemptions`);
  expect(uses.body.data).toEqual([
    expect.objectContaining({ order_id: 'ord_used', email: 'bob@x.test', amount_cents: 500, status: 'held' }),
  ]);
  // One that was used is kept for its orders.
  expect(await client.data(path, 'DELETE')).toEqual({ deleted: true, archived: true });
  expect(await client.data(path)).toMatchObject({ status: 'archived' });
  expect(await client.data(`/promotions/${copy.id}`, 'DELETE')).toEqual({ deleted: true, archived: false });
  expect((await client.send(`/promotions/${copy.id}`)).status).toBe(404);
});

it('cannot be limited to fewer uses than it has', async () => {
  const made = await make();
  await redeemed(made.id, 'ord_limit');
  await app.ctx.tx(async ({ db }) =>
    db.knex('promotions').where({ id: made.id }).update({ used_count: 3 }).then(Number),
  );
  expect(await faultOf(`/promotions/${made.id}`, 'PATCH', { usage_limit: 2 })).toEqual(wrong('usage_limit'));
  expect(await client.data(`/promotions/${made.id}`, 'PATCH', { usage_limit: 3 })).toMatchObject({
    usage_limit: 3,
  });
});

it('changes its effect with what belongs to it', async () => {
  const made = await make();
  const path = `/promotions/${made.id}`;
  expect(await faultOf(path, 'PATCH', { effect: 'fixed_amount' })).toEqual([
    400,
    'VALIDATION_MISSING_FIELD',
    'amount_cents',
  ]);
  expect(await client.data(path, 'PATCH', { effect: 'fixed_amount', amount_cents: 700 })).toMatchObject({
    value: 700,
    percent_bps: null,
  });
  expect(await client.data(path, 'PATCH', { effect: 'free_shipping' })).toMatchObject({
    class: 'shipping',
    value: 0,
  });
  expect(
    await client.data(path, 'PATCH', {
      effect: 'bogo',
      buy: 'all',
      buy_quantity: 1,
      get_quantity: 1,
      get_effect: 'fixed_price',
      get_amount_cents: 100,
    }),
  ).toMatchObject({ type: 'bogo', class: 'item', get_value: 100, get_percent_bps: null });
});

it('is for whom its scopes are', async () => {
  const marketing = await storeClient(app, 'marketing');
  expect((await marketing.send('/promotions', 'POST', promo)).status).toBe(201);
  // Keys have no scope of that name.
  const withKey = async (scope: 'products:write' | 'products:read') => {
    const { secret } = await apiKeys.create(app.ctx, { name: 'sync', scopes: [scope] });
    const headers = { Authorization: `Bearer ${secret}` };
    return (await app.send('/api/store/promotions', { method: 'POST', body: promo, headers })).status;
  };
  expect(await withKey('products:write')).toBe(201);
  expect(await withKey('products:read')).toBe(403);
  const viewer = await storeClient(app, 'viewer');
  expect((await viewer.send('/promotions')).status).toBe(200);
  expect((await viewer.send('/promotions', 'POST', promo)).status).toBe(403);
  const made = await make();
  expect((await viewer.send(`/promotions/${made.id}/activate`, 'POST', {})).status).toBe(403);
  expect((await viewer.send(`/promotions/${made.id}/codes`, 'POST', { count: 1 })).status).toBe(403);
  expect((await app.get('/api/store/promotions')).status).toBe(401);
});
