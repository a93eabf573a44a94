// Price lists with their prices, and public quantity breaks: by JSON, and as the shop shows them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

type Made = Record<string, unknown> & { id: string; slug: string; variants: { id: string; sku: string }[] };
const product = async (fields: object = {}) =>
  (await client.data('/products', 'POST', mug({ status: 'active', ...fields }))) as unknown as Made;
const variantOf = ({ variants }: Made) => variants[0] as { id: string; sku: string };
const list = (fields: object = {}) =>
  client.data('/price-lists', 'POST', { name: `List ${another()}`, ...fields });
const faultOf = async (path: string, method: string, body: unknown) => {
  const { status, body: answer } = await client.send(path, method, body);
  const details = answer.details as unknown as { fields?: { field: string }[] } | undefined;
  return [status, answer.error_code, details?.fields?.[0]?.field];
};
const put = async (id: unknown, items: object[]) =>
  (await client.send(`/price-lists/${id}/prices`, 'PUT', { items })).body.data as unknown as {
    upserted: number;
    errors: { index: number; code: string; message: string }[];
  };
const pricesIn = async (id: unknown, more = '') =>
  (await client.send(`/price-lists/${id}/prices${more}`)).body.data as unknown as Record<string, unknown>[];
const tiersOf = async (id: string, more = '') =>
  (await client.send(`/variants/${id}/price-tiers${more}`)).body.data;
const setTiers = (id: string, tiers: unknown, more: object = {}) =>
  client.send(`/variants/${id}/price-tiers`, 'PUT', { tiers, ...more });
const tier = (min_quantity: number, unit_cents: number) => ({ min_quantity, unit_cents });

it('is made in the currency of the shop, changed and removed, and tells each of it once', async () => {
  const { result: made, changes } = await app.changesBy(() =>
    list({ name: 'Resellers', kind: 'percent', adjust_bps: -1000, ends_at: '2030-01-01T00:00:00+01:00' }),
  );
  expect(made).toEqual({
    id: expect.stringMatching(/^prl_/),
    name: 'Resellers',
    kind: 'percent',
    adjust_bps: -1000,
    currency: 'USD',
    starts_at: null,
    ends_at: '2029-12-31T23:00:00.000Z',
    active: true,
    status: 'active',
    price_count: 0,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(changes).toEqual({ events: ['price_list.created'], rows: { price_lists: '+1' } });
  const changed = await client.data(`/price-lists/${made.id}`, 'PATCH', { active: false, ends_at: null });
  expect(changed).toMatchObject({ active: false, ends_at: null, status: 'off', adjust_bps: -1000 });
  const again = await app.changesBy(() => client.data(`/price-lists/${made.id}`, 'PATCH', { active: false }));
  expect(again.changes.rows).toEqual({});
  const listed = await client.send('/price-lists?q=resell&active=false');
  expect((listed.body.data as unknown as { id: string }[]).map(({ id }) => id)).toEqual([made.id]);
  expect((await client.send(`/price-lists/${made.id}`, 'DELETE')).body.data).toEqual({ deleted: true });
  expect((await client.send(`/price-lists/${made.id}`)).status).toBe(404);
});

it('refuses what makes no sense', async () => {
  const refused = (fields: object) => faultOf('/price-lists', 'POST', { name: 'Bad', ...fields });
  expect((await client.send('/price-lists', 'POST', {})).body.error_code).toBe('VALIDATION_MISSING_FIELD');
  expect(await refused({ currency: 'EUR' })).toEqual([400, 'VALIDATION_ERROR', 'currency']);
  expect(await refused({ kind: 'half' })).toEqual([400, 'VALIDATION_ERROR', 'kind']);
  expect(await refused({ kind: 'percent', adjust_bps: -10_001 })).toEqual([
    400,
    'VALIDATION_ERROR',
    'adjust_bps',
  ]);
  expect(await refused({ kind: 'percent', adjust_bps: 1.5 })).toEqual([
    400,
    'VALIDATION_ERROR',
    'adjust_bps',
  ]);
  expect(await refused({ adjust_bps: -10 })).toEqual([400, 'VALIDATION_ERROR', 'adjust_bps']);
  expect(await refused({ starts_at: '2027-01-01T00:00:00Z', ends_at: '2027-01-01T00:00:00Z' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'ends_at',
  ]);
  expect((await client.send('/price-lists/prl_no', 'PATCH', { name: 'x' })).status).toBe(404);
  expect((await client.send('/price-lists/prl_no/prices')).status).toBe(404);
  expect((await client.send('/price-lists?page=0')).status).toBe(400);
  const reader = await storeClient(app, 'viewer');
  expect((await reader.send('/price-lists', 'POST', { name: 'x' })).status).toBe(403);
  expect((await app.get('/api/store/price-lists')).status).toBe(401);
});

it('takes many prices by SKU or id, and tells which ones it refused', async () => {
  const [one, other] = [await product(), await product()];
  const made = await list();
  const { upserted, errors } = await put(made.id, [
    { sku: variantOf(one).sku.toLowerCase(), unit_cents: 1500 },
    { variant_id: variantOf(other).id, min_quantity: 10, unit_cents: 1200 },
    { sku: '=NO-SUCH', unit_cents: 1 },
    { variant_id: 'var_00000000000000000000000000', unit_cents: 1 },
    { sku: variantOf(one).sku, min_quantity: 1, unit_cents: 1400 },
  ]);
  expect(upserted).toBe(3);
  expect(errors).toEqual([
    { index: 2, code: 'VALIDATION_ERROR', message: expect.stringContaining('=NO-SUCH') },
    { index: 3, code: 'VALIDATION_ERROR', message: expect.stringContaining('does not exist') },
  ]);
  expect(await pricesIn(made.id, `?variant_id=${variantOf(one).id}`)).toEqual([
    {
      id: expect.stringMatching(/^plp_/),
      price_list_id: made.id,
      variant_id: variantOf(one).id,
      sku: variantOf(one).sku,
      product_id: one.id,
      product_title: one.title,
      variant_title: 'Default',
      min_quantity: 1,
      unit_cents: 1400,
      currency: 'USD',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
  expect(await pricesIn(made.id)).toHaveLength(2);
  expect((await client.data(`/price-lists/${made.id}`)).price_count).toBe(2);
  for (const items of [undefined, [], [{ sku: 'A' }], [{ unit_cents: 1 }], [{ sku: 'A', unit_cents: -1 }]])
    expect((await client.send(`/price-lists/${made.id}/prices`, 'PUT', { items })).status).toBe(400);
  const many = Array.from({ length: 501 }, () => ({ sku: 'A', unit_cents: 1 }));
  expect((await client.send(`/price-lists/${made.id}/prices`, 'PUT', { items: many })).status).toBe(400);
  const percent = await list({ kind: 'percent', adjust_bps: -500 });
  expect((await put(percent.id, [{ sku: variantOf(one).sku, unit_cents: 1 }])).upserted).toBe(0);
  expect(await client.refusal(`/price-lists/${made.id}`, 'PATCH', { kind: 'percent' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  await client.send(`/products/${other.id}`, 'DELETE');
  expect(await pricesIn(made.id)).toHaveLength(1);
});

it('has its prices one by one, too', async () => {
  const { id, sku } = variantOf(await product());
  const made = await list();
  const path = `/price-lists/${made.id}/prices`;
  const price = await client.data(path, 'POST', { sku, min_quantity: 5, unit_cents: 1000 });
  expect(await client.refusal(path, 'POST', { variant_id: id, min_quantity: 5, unit_cents: 1 })).toEqual([
    400,
    'VALIDATION_ERROR',
    'DUPLICATE',
  ]);
  await client.data(path, 'POST', { sku, unit_cents: 1500 });
  expect(await client.refusal(`/price-list-prices/${price.id}`, 'PATCH', { min_quantity: 1 })).toEqual([
    400,
    'VALIDATION_ERROR',
    'DUPLICATE',
  ]);
  expect(await client.data(`/price-list-prices/${price.id}`, 'PATCH', { unit_cents: 900 })).toMatchObject({
    min_quantity: 5,
    unit_cents: 900,
  });
  expect(await tiersOf(id, `?price_list_id=${made.id}`)).toEqual([tier(1, 1500), tier(5, 900)]);
  expect(await tiersOf(id)).toEqual([]);
  expect((await client.send(`/price-list-prices/${price.id}`, 'DELETE')).status).toBe(200);
  expect((await client.send(`/price-list-prices/${price.id}`, 'DELETE')).status).toBe(404);
  expect((await setTiers(id, [tier(2, 700)], { price_list_id: made.id })).status).toBe(200);
  expect(await tiersOf(id, `?price_list_id=${made.id}`)).toEqual([tier(2, 700)]);
});

it('shows public quantity breaks in the shop with the next request, and they raise the version', async () => {
  const made = await product();
  const variant = variantOf(made);
  const shown = async () => {
    const { body } = await app.get(`/api/shop/products/${made.slug}`);
    return (body.data as unknown as { variants: Record<string, unknown>[] }).variants[0];
  };
  expect(await shown()).toMatchObject({ price_cents: 1900, unit_cents: 1900, tiers: [] });
  const { changes } = await app.changesBy(() => setTiers(variant.id, [tier(10, 1500), tier(5, 1700)]));
  expect(changes.events).toEqual(['price.set', 'price.set', 'product.updated']);
  expect(await shown()).toMatchObject({ unit_cents: 1900, tiers: [tier(5, 1700), tier(10, 1500)] });
  expect((await client.data(`/products/${made.id}`)).version).toBe(2);
  const page = await openBrowser(app.send).open(`/shop/products/${made.slug}`);
  expect(page.text).toContain('$17.00');
  expect(page.text).toContain('$15.00');
  const again = await app.changesBy(() => setTiers(variant.id, [tier(5, 1700), tier(10, 1500)]));
  expect(again.changes.rows).toEqual({});
  // A break from one on is what everybody pays.
  await setTiers(variant.id, [tier(1, 1100)]);
  expect(await shown()).toMatchObject({ price_cents: 1900, unit_cents: 1100 });
  const listed = await app.get('/api/shop/products?per_page=100');
  expect((listed.body.data as unknown as Made[]).find(({ id }) => id === made.id)).toMatchObject({
    price_cents: 1100,
  });
  expect((await setTiers(variant.id, [])).body.data).toEqual([]);
  expect(await shown()).toMatchObject({ unit_cents: 1900, tiers: [] });
});

it('refuses breaks that say nothing', async () => {
  const { id } = variantOf(await product());
  const path = `/variants/${id}/price-tiers`;
  expect(await faultOf(path, 'PUT', { tiers: [tier(5, 1), tier(5, 2)] })).toEqual([
    400,
    'VALIDATION_ERROR',
    'tiers.1.min_quantity',
  ]);
  for (const tiers of [undefined, {}, [tier(0, 1)], [tier(1, -1)], [tier(1.5, 1)], [{ min_quantity: 1 }]])
    expect((await client.send(path, 'PUT', { tiers })).status).toBe(400);
  expect((await setTiers('var_no', [])).status).toBe(404);
  expect((await setTiers(id, [tier(1, 1)], { price_list_id: 'prl_no' })).status).toBe(404);
  expect((await client.send(`${path}?price_list_id=prl_no`)).status).toBe(404);
});

it('keeps one price of each quantity, whoever sets it at the same time', async () => {
  const made = (await client.data('/products', 'POST', shirt({ status: 'active' }))) as unknown as Made;
  const { id, sku } = variantOf(made);
  const target = await list();
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, at) => put(target.id, [{ sku, min_quantity: 3, unit_cents: 100 + at }])),
  );
  expect(all.map(({ upserted }) => upserted)).toEqual(Array(8).fill(1));
  expect(await pricesIn(target.id)).toHaveLength(1);
  const sets = await Promise.all(
    Array.from({ length: 8 }, (_, at) => setTiers(id, [tier(2, 1000 + at), tier(4, 500 + at)])),
  );
  expect(sets.map(({ status }) => status)).toEqual(Array(8).fill(200));
  const [two, four] = (await tiersOf(id)) as unknown as { unit_cents: number }[];
  expect((two?.unit_cents ?? 0) - (four?.unit_cents ?? 0)).toBe(500);
  const { knex } = app.instance.database.db;
  const rows: unknown[] = await knex('price_list_prices').where({ variant_id: id, price_list_id: null });
  expect(rows).toHaveLength(2);
  // The index itself refuses what no lock has kept out.
  const [row]: Record<string, unknown>[] = await knex('price_list_prices').where({
    variant_id: id,
    price_list_id: null,
  });
  const twin = { ...row, id: 'plp_00000000000000000000000001' };
  await expect(
    app.ctx.tx((ctx) => ctx.db.knex('price_list_prices').insert(twin).then(Number)),
  ).rejects.toThrow(/unique/i);
});
