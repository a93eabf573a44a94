// Stock of the shop: levels, rules, adjustments and movements, by JSON (storefront-domain 4.2, storefront-api U).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

type Level = Record<string, unknown> & { on_hand: number; available: number; state: string };
const UNKNOWN = 'var_00000000000000000000000000';

/** A variant with so much in stock. */
async function variant(
  fields: object = { stock: 10 },
): Promise<{ id: string; sku: string; productId: string }> {
  const sku = `STOCK-${another()}`;
  const made = await client.data(
    '/products',
    'POST',
    mug({ variants: [{ sku, price_cents: 900, ...fields }] }),
  );
  const [{ id }] = made.variants as [{ id: string }];
  return { id, sku, productId: made.id };
}
const level = async (id: string) => (await client.data(`/inventory/${id}`)) as unknown as Level;
const adjust = (id: string, body: object) => client.send(`/inventory/${id}/adjust`, 'POST', body);
const movements = async (id: string) =>
  (await client.send(`/inventory/${id}/movements`)).body.data as unknown as Record<string, unknown>[];
const lowTold = async (id: string) =>
  (
    (await app.instance.database.db
      .knex('events')
      .where({ subject: id, type: 'inventory.low_stock' })
      .orderBy('id')) as { data: string }[]
  ).map(({ data }) => JSON.parse(data) as Record<string, unknown>);

it('begins with what a new variant has in stock, and is part of the variant', async () => {
  const { id, sku, productId } = await variant({ stock: 7 });
  expect(await level(id)).toMatchObject({
    variant_id: id,
    variant: { id, sku, product_id: productId, title: 'Default' },
    on_hand: 7,
    reserved: 0,
    available: 7,
    threshold: 5,
    backorder: false,
    track_inventory: true,
    state: 'in',
  });
  expect(await movements(id)).toMatchObject([
    { delta: 7, on_hand_after: 7, reason: 'count', variant_id: id },
  ]);
  expect((await client.data(`/variants/${id}`)).inventory).toMatchObject({ on_hand: 7, available: 7 });
  // Without a number it is not tracked, and sold whatever there is.
  const free = await variant({});
  expect(await level(free.id)).toMatchObject({ on_hand: 0, track_inventory: false, state: 'in' });
  expect(await movements(free.id)).toEqual([]);
  const tracked = await variant({ track_inventory: true, allow_backorder: true });
  expect(await level(tracked.id)).toMatchObject({ state: 'backorder', backorder: true });
});

it('follows the variants of a product: generated, duplicated, removed', async () => {
  const made = await client.data('/products', 'POST', shirt());
  const first = (made.variants as { id: string }[])[0]?.id ?? '';
  await client.data(`/inventory/${first}`, 'PATCH', { track_inventory: true });
  await adjust(first, { set_to: 9, reason: 'count' });
  const copy = await client.data(`/products/${made.id}/duplicate`, 'POST', {});
  const [copied, other] = (copy.variants as { inventory: Level }[]).map(({ inventory }) => inventory);
  expect(copied).toMatchObject({ on_hand: 0, track_inventory: true, state: 'out' });
  expect(other).toMatchObject({ on_hand: 0, track_inventory: false, state: 'in' });
  expect((await client.send(`/variants/${first}`, 'DELETE')).status).toBe(200);
  expect(await client.refusal(`/inventory/${first}`, 'GET')).toEqual([404, 'NOT_FOUND', undefined]);
  // What has happened to it is kept.
  expect(await app.instance.database.db.knex('stock_movements').where({ variant_id: first })).toHaveLength(1);
  expect((await client.send(`/products/${made.id}`, 'DELETE')).status).toBe(200);
});

it('changes by a delta or to a count, and each change is a movement', async () => {
  const { id } = await variant({ stock: 10 });
  const { result, changes } = await app.changesBy(() =>
    adjust(id, { delta: -3, reason: 'damaged', note: ' Fell down ' }),
  );
  expect([result.status, changes]).toEqual([
    200,
    { events: ['inventory.adjusted'], rows: { inventory_levels: '+1 -1', stock_movements: '+1' } },
  ]);
  expect(await level(id)).toMatchObject({ on_hand: 7, available: 7 });
  const { status, body } = await adjust(id, { set_to: 12, reason: 'count' });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    level: { on_hand: 12, variant_id: id },
    movement: { delta: 5, on_hand_after: 12, reason: 'count', note: null },
  });
  expect((await adjust(id, { set_to: 12, reason: 'count' })).body.data).toMatchObject({ movement: null });
  const all = await movements(id);
  expect(all.map(({ delta }) => delta)).toEqual([5, -3, 10]);
  expect(all[1]).toMatchObject({ note: 'Fell down', actor: expect.any(String) });
  expect(all.reduce((sum, { delta }) => sum + Number(delta), 0)).toBe(12);
});

it.each([
  ['neither', {}, 'VALIDATION_ERROR', undefined],
  ['both', { delta: 1, set_to: 1 }, 'VALIDATION_ERROR', undefined],
  ['a text', { delta: '1' }, 'VALIDATION_ERROR', undefined],
  ['a fraction', { delta: 1.5 }, 'VALIDATION_ERROR', undefined],
  ['too much', { set_to: 1_000_000_001 }, 'VALIDATION_ERROR', undefined],
  ['more than fits', { delta: 1_000_000_000 }, 'VALIDATION_ERROR', undefined],
  ['less than nothing', { delta: -11 }, 'VALIDATION_ERROR', 'OUT_OF_STOCK'],
  ['a reason that staff has not', { delta: 1, reason: 'sale' }, 'VALIDATION_ERROR', undefined],
  ['no reason', { delta: 1, reason: undefined }, 'VALIDATION_MISSING_FIELD', undefined],
  ['a long note', { delta: 1, note: 'x'.repeat(501) }, 'VALIDATION_ERROR', undefined],
])('refuses %s, and changes nothing', async (_what, body, code, reason) => {
  const { id } = await variant({ stock: 10 });
  expect(await client.refusal(`/inventory/${id}/adjust`, 'POST', { reason: 'correction', ...body })).toEqual([
    400,
    code,
    reason,
  ]);
  expect(await movements(id)).toHaveLength(1);
});

it('knows no variant that does not exist, and shows nothing without permission', async () => {
  for (const [path, method, body] of [
    [`/inventory/${UNKNOWN}`, 'GET'],
    [`/inventory/${UNKNOWN}/movements`, 'GET'],
    [`/inventory/${UNKNOWN}`, 'PATCH', { allow_backorder: true }],
    [`/inventory/${UNKNOWN}/adjust`, 'POST', { delta: 1, reason: 'count' }],
    ['/inventory/reservations/rsv_00000000000000000000000000/release', 'POST', {}],
  ] as const)
    expect(await client.refusal(path, method, body)).toEqual([404, 'NOT_FOUND', undefined]);
  expect((await app.get('/api/store/inventory')).status).toBe(401);
  const support = await storeClient(app, 'support');
  expect(await support.refusal('/inventory', 'GET')).toEqual([403, 'AUTH_FORBIDDEN', undefined]);
});

it('sells beyond its stock where that is allowed, and nowhere else', async () => {
  const { id } = await variant({ stock: 2 });
  expect(await client.data(`/inventory/${id}`, 'PATCH', { allow_backorder: true })).toMatchObject({
    allow_backorder: true,
    backorder: true,
  });
  expect((await adjust(id, { delta: -5, reason: 'correction' })).status).toBe(200);
  expect(await level(id)).toMatchObject({ on_hand: -3, available: -3, state: 'backorder' });
});

it('tells once that stock is low, and again when it has risen in between', async () => {
  const { id, sku } = await variant({ stock: 8 });
  await adjust(id, { delta: -2, reason: 'correction' });
  expect(await lowTold(id)).toEqual([]);
  await adjust(id, { delta: -1, reason: 'correction' });
  expect(await lowTold(id)).toMatchObject([{ variant: { id, sku }, available: 5, threshold: 5 }]);
  expect((await level(id)).low_stock_notified_at).toEqual(expect.any(String));
  await adjust(id, { delta: -5, reason: 'correction' });
  await adjust(id, { delta: 5, reason: 'received' });
  expect(await lowTold(id)).toHaveLength(1);
  await adjust(id, { delta: 1, reason: 'received' });
  expect((await level(id)).low_stock_notified_at).toBeNull();
  await adjust(id, { set_to: 0, reason: 'count' });
  expect(await lowTold(id)).toHaveLength(2);
  // Its own threshold counts before that of the settings.
  await client.data(`/inventory/${id}`, 'PATCH', { low_stock_threshold: 0 });
  await adjust(id, { set_to: 3, reason: 'count' });
  expect(await level(id)).toMatchObject({ state: 'in', threshold: 0 });
  await adjust(id, { set_to: 1, reason: 'count' });
  expect(await lowTold(id)).toHaveLength(2);
  await adjust(id, { set_to: 0, reason: 'count' });
  expect(await lowTold(id)).toHaveLength(3);
});

it('follows the threshold of the settings', async () => {
  const { id } = await variant({ stock: 20 });
  await client.data('/settings', 'PATCH', { low_stock_threshold: '30' });
  expect(await level(id)).toMatchObject({ state: 'low', threshold: 30 });
  expect(await lowTold(id)).toEqual([]);
  await client.data('/settings', 'PATCH', { low_stock_threshold: null });
  expect(await level(id)).toMatchObject({ state: 'in', threshold: 5 });
});

it('is listed, searched, filtered and sorted', async () => {
  const word = `Teapot${another()}`;
  const make = async (stock: number) => {
    const made = await client.data(
      '/products',
      'POST',
      mug({ title: `${word} ${stock}`, variants: [{ sku: `T-${another()}`, price_cents: 1, stock }] }),
    );
    return (made.variants as { id: string }[])[0]?.id;
  };
  const [many, few, none] = [await make(50), await make(2), await make(0)];
  const list = async (query: string) => {
    const { status, body } = await client.send(`/inventory?q=${word}&${query}`);
    expect(status).toBe(200);
    return (body.data as unknown as { variant_id: string }[]).map(({ variant_id }) => variant_id);
  };
  expect(await list('sort=available')).toEqual([none, few, many]);
  expect(await list('sort=-stock')).toEqual([many, few, none]);
  expect(await list('low=true&sort=available')).toEqual([none, few]);
  expect(await list('low=0')).toEqual([many]);
  expect(await list('out=1')).toEqual([none]);
  expect(await list('tracked=false')).toEqual([]);
  expect(await list('page=2&per_page=2&sort=available')).toEqual([many]);
  expect(await list('page=1000000000')).toEqual([]);
  for (const bad of ['page=0', 'page=-1', 'per_page=101', 'sort=colour', 'low=maybe'])
    expect((await client.send(`/inventory?${bad}`)).status).toBe(400);
  const { body } = await client.send('/inventory/low-stock?per_page=100');
  expect(body.pagination).toMatchObject({ page: 1, per_page: 100, total: expect.any(Number) });
  const low = (body.data as unknown as { variant_id: string }[]).map(({ variant_id }) => variant_id);
  expect(low).toEqual(expect.arrayContaining([few, none]));
  expect(low).not.toContain(many);
});

it('changes many at once: a refused one costs only itself', async () => {
  const [one, two] = [await variant({ stock: 10 }), await variant({ stock: 10 })];
  const { status, body } = await client.send('/inventory/bulk-adjust', 'POST', {
    reason: 'received',
    note: 'Delivery 7',
    items: [
      { variant_id: one.id, delta: 5 },
      { sku: two.sku.toLowerCase(), set_to: 1 },
      { sku: '=NO-SUCH', delta: 1 },
      { variant_id: two.id, delta: -100 },
      { delta: 1 },
    ],
  });
  expect([status, body.data]).toMatchObject([
    200,
    {
      updated: 2,
      errors: [
        { index: 2, error_code: 'NOT_FOUND' },
        { index: 3, error_code: 'VALIDATION_ERROR', reason: 'OUT_OF_STOCK' },
        { index: 4, error_code: 'VALIDATION_ERROR' },
      ],
    },
  ]);
  expect([(await level(one.id)).on_hand, (await level(two.id)).on_hand]).toEqual([15, 1]);
  const many = Array.from({ length: 501 }, () => ({ variant_id: one.id, delta: 1 }));
  for (const bad of [
    { items: [] },
    { items: many },
    { items: 'x' },
    { items: [{ variant_id: 5, delta: 1 }] },
  ])
    expect((await client.send('/inventory/bulk-adjust', 'POST', { reason: 'count', ...bad })).status).toBe(
      400,
    );
  expect(await client.refusal('/inventory/bulk-adjust', 'POST', { reason: 'count' })).toEqual([
    400,
    'VALIDATION_MISSING_FIELD',
    undefined,
  ]);
});

it('keeps movements as they are', async () => {
  const { id } = await variant({ stock: 3 });
  const spoil = (work: 'update' | 'delete') =>
    app.instance.database.transaction(async ({ knex }) => {
      const rows = knex('stock_movements').where({ variant_id: id });
      await (work === 'update' ? rows.update({ delta: 4 }) : rows.delete());
    });
  await expect(spoil('update')).rejects.toThrow(/append-only/);
  await expect(spoil('delete')).rejects.toThrow(/append-only/);
});

it('counts of many variants, single changes and variants that come and go do not wait for each other in a circle', async () => {
  const { id, variants } = (await client.data('/products', 'POST', shirt())) as unknown as {
    id: string;
    variants: { id: string }[];
  };
  const ids = variants.map((one) => one.id);
  for (const one of ids) await client.data(`/inventory/${one}`, 'PATCH', { track_inventory: true });
  // Each turns from sold out to in stock and back, which raises the counter that all of them share.
  const turns = Array.from({ length: 16 }, (_, n) => {
    const items = ids.map((variant_id) => ({ variant_id, set_to: n % 2 ? 0 : 50 }));
    if (n % 4 === 3)
      return client.send(`/products/${id}/options`, 'POST', { name: `Fit ${n}`, values: ['Slim'] });
    return n % 4 === 2
      ? client.send(`/inventory/${ids.at(-1)}/adjust`, 'POST', { set_to: n % 8 ? 0 : 50, reason: 'count' })
      : client.send('/inventory/bulk-adjust', 'POST', { items: items.toReversed(), reason: 'count' });
  });
  const answers = await Promise.all(turns);
  expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
  for (const one of ids) {
    const rows: { delta: number }[] = await app.instance.database.db
      .knex('stock_movements')
      .where({ variant_id: one });
    const level = await client.data(`/inventory/${one}`);
    expect(rows.reduce((sum, { delta }) => sum + delta, 0)).toBe(level.on_hand);
  }
});
