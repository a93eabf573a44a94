// Tax classes, zones and rates: by JSON, as use cases ask for them, and what they refuse.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as tax from '#storefront/pricing/tax/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { another, mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

type Fields = Record<string, unknown> & { id: string };
const classes = async () => (await client.send('/tax/classes?per_page=100')).body.data as unknown as Fields[];
const classId = async (code: string) => String((await classes()).find((one) => one.code === code)?.id);
const zoneOf = (country: string, fields: object = {}) =>
  client.data('/tax/zones', 'POST', { name: `Zone ${another()}`, regions: [{ country }], ...fields });
const addRate = (zone: Fields, fields: object) => client.data(`/tax/zones/${zone.id}/rates`, 'POST', fields);
const faultOf = async (path: string, method: string, body: unknown) => {
  const { status, body: answer } = await client.send(path, method, body);
  const details = answer.details as unknown as { fields?: { field: string }[] } | undefined;
  return [status, answer.error_code, details?.fields?.[0]?.field];
};
const at = (country: string, state: string | null = null, postalCode: string | null = null) => ({
  country,
  state,
  postalCode,
});

// Zones are of the whole shop: each test begins without any.
beforeEach(async () => {
  const { body } = await client.send('/tax/zones?per_page=100');
  for (const { id } of body.data as unknown as Fields[]) await client.send(`/tax/zones/${id}`, 'DELETE');
});

it('every shop has five classes, and may have more', async () => {
  expect((await classes()).map(({ code }) => code).toSorted()).toEqual(
    expect.arrayContaining(['digital', 'reduced', 'shipping', 'standard', 'zero']),
  );
  expect([await classId('standard'), await classId('shipping')]).toEqual([
    tax.STANDARD_CLASS,
    tax.SHIPPING_CLASS,
  ]);
  const { result: made, changes } = await app.changesBy(() =>
    client.data('/tax/classes', 'POST', { name: ' Books ', code: 'books_1' }),
  );
  expect(made).toEqual({
    id: expect.stringMatching(/^tcl_/),
    name: 'Books',
    code: 'books_1',
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(changes).toEqual({ events: ['tax_class.created'], rows: { tax_classes: '+1' } });
  expect(await client.refusal('/tax/classes', 'POST', { name: 'Other', code: 'books_1' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'DUPLICATE',
  ]);
  for (const code of ['Books', 'a b', '', 'x'.repeat(31), 5])
    expect((await client.send('/tax/classes', 'POST', { name: 'Bad', code })).status).toBe(400);
  // Its code stays, whatever is sent.
  expect(await client.data(`/tax/classes/${made.id}`, 'PATCH', { name: 'Paper', code: 'x' })).toMatchObject({
    name: 'Paper',
    code: 'books_1',
  });
  const again = await app.changesBy(() => client.data(`/tax/classes/${made.id}`, 'PATCH', { name: 'Paper' }));
  expect(again.changes.rows).toEqual({});
  expect((await client.send(`/tax/classes/${made.id}`, 'DELETE')).body.data).toEqual({ deleted: true });
  expect((await client.send(`/tax/classes/${made.id}`, 'DELETE')).status).toBe(404);
});

it('a class that something is of stays, and says what to do', async () => {
  const inUse = [400, 'VALIDATION_ERROR', 'IN_USE'];
  for (const code of ['standard', 'shipping'])
    expect(await client.refusal(`/tax/classes/${await classId(code)}`, 'DELETE')).toEqual(inUse);
  const { id } = await client.data('/tax/classes', 'POST', { name: 'Tools', code: `tools_${another()}` });
  const product = await client.data('/products', 'POST', mug({ tax_class_id: id }));
  expect(product.tax_class_id).toBe(id);
  const { body } = await client.send(`/tax/classes/${id}`, 'DELETE');
  expect(body.error).toContain('assign them another class first');
  await client.data(`/products/${product.id}`, 'PATCH', { tax_class_id: null });
  const zone = await zoneOf('DE');
  const rate = await addRate(zone, { name: 'VAT', tax_class_id: id, rate_ppm: 1 });
  expect(await client.refusal(`/tax/classes/${id}`, 'DELETE')).toEqual(inUse);
  await client.send(`/tax/rates/${rate.id}`, 'DELETE');
  expect((await client.send(`/tax/classes/${id}`, 'DELETE')).status).toBe(200);
});

it('a product names a class that exists', async () => {
  const unknown = 'tcl_99999999999999999999999999';
  const refused = [400, 'VALIDATION_ERROR', 'tax_class_id'];
  expect(await faultOf('/products', 'POST', mug({ tax_class_id: unknown }))).toEqual(refused);
  const { id } = await client.data('/products', 'POST', mug());
  expect(await faultOf(`/products/${id}`, 'PATCH', { tax_class_id: unknown })).toEqual(refused);
  expect(await faultOf(`/products/${id}`, 'PATCH', { tax_class_id: 5 })).toEqual(refused);
  const changed = await client.data(`/products/${id}`, 'PATCH', { tax_class_id: await classId('reduced') });
  const copy = await client.data(`/products/${id}/duplicate`, 'POST', {});
  expect(copy.tax_class_id).toBe(changed.tax_class_id);
});

it('a zone has regions and rates; each change emits one event', async () => {
  const standard = await classId('standard');
  const { result: made, changes } = await app.changesBy(() =>
    client.data('/tax/zones', 'POST', {
      name: 'West',
      regions: [{ country: 'us', state: 'ca', postal_pattern: '902*' }, { country: 'MX' }],
    }),
  );
  expect(changes).toEqual({
    events: ['tax_zone.created'],
    rows: { tax_zones: '+1', tax_zone_regions: '+2' },
  });
  const rate = await addRate(made, { name: 'Sales tax', tax_class_id: standard, rate_ppm: 88_750 });
  expect(await client.data(`/tax/zones/${made.id}`)).toEqual({
    id: expect.stringMatching(/^tzn_/),
    name: 'West',
    priority: 0,
    regions: [
      { country: 'US', state: 'CA', postal_pattern: '902*' },
      { country: 'MX', state: null, postal_pattern: null },
    ],
    rates: [
      {
        id: rate.id,
        zone_id: made.id,
        tax_class_id: standard,
        tax_class: 'standard',
        name: 'Sales tax',
        rate_ppm: 88_750,
        applies_to_shipping: false,
        compound: false,
        valid_from: null,
        valid_to: null,
        position: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ],
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const path = `/tax/zones/${made.id}`;
  const same = await app.changesBy(() =>
    client.data(path, 'PATCH', {
      name: 'West',
      regions: [{ country: 'US', state: 'CA', postal_pattern: '902*' }, { country: 'MX' }],
    }),
  );
  expect(same.changes.rows).toEqual({});
  const moved = await app.changesBy(() => client.data(path, 'PATCH', { regions: [{ country: '*' }] }));
  expect(moved.changes.events).toEqual(['tax_zone.updated']);
  expect(moved.result.regions).toEqual([{ country: '*', state: null, postal_pattern: null }]);
  expect((await client.send(path, 'DELETE')).body.data).toEqual({ deleted: true });
  expect((await client.send(`/tax/rates/${rate.id}`)).status).toBe(404);
});

it('refuses zones and rates that make no sense', async () => {
  const standard = await classId('standard');
  const zone = await zoneOf('DE');
  expect((await client.send('/tax/zones', 'POST', { name: 'x' })).body.error_code).toBe(
    'VALIDATION_MISSING_FIELD',
  );
  const region = (fields: object) => ({ name: 'Bad', regions: [fields] });
  for (const [fields, field] of [
    [{ country: 'XX' }, 'regions.0.country'],
    [{ country: 'US', state: 'QQ' }, 'regions.0.state'],
    [{ country: '*', state: 'CA' }, 'regions.0.country'],
    [{ country: 'DE', postal_pattern: '1*1' }, 'regions.0.postal_pattern'],
  ] as const)
    expect(await faultOf('/tax/zones', 'POST', region(fields))).toEqual([400, 'VALIDATION_ERROR', field]);
  for (const regions of [[], 'DE', [1], Array.from({ length: 1001 }, () => ({ country: 'DE' }))])
    expect((await client.send('/tax/zones', 'POST', { name: 'x', regions })).status).toBe(400);
  const good = { name: 'VAT', tax_class_id: standard, rate_ppm: 190_000 };
  const path = `/tax/zones/${zone.id}/rates`;
  for (const [fields, field] of [
    [{ rate_ppm: -1 }, 'rate_ppm'],
    [{ rate_ppm: 1_000_001 }, 'rate_ppm'],
    [{ rate_ppm: 8.5 }, 'rate_ppm'],
    [{ tax_class_id: 'tcl_no' }, 'tax_class_id'],
    [{ name: '' }, 'name'],
    [{ valid_from: '2027-01-01T00:00:00Z', valid_to: '2027-01-01T00:00:00Z' }, 'valid_to'],
  ] as const)
    expect(await faultOf(path, 'POST', { ...good, ...fields })).toEqual([400, 'VALIDATION_ERROR', field]);
  expect((await client.send('/tax/zones/tzn_no/rates', 'POST', good)).status).toBe(404);
  expect((await client.send('/tax/rates/trt_no', 'PATCH', { name: 'x' })).status).toBe(404);
  const reader = await storeClient(app, 'viewer');
  expect((await reader.send(path, 'POST', good)).status).toBe(403);
  expect((await app.get('/api/store/tax/zones')).status).toBe(401);
});

it('has one compound rate of a class at a time, whoever adds it', async () => {
  const zone = await zoneOf('CA');
  const path = `/tax/zones/${zone.id}/rates`;
  const compound = { name: 'QST', tax_class_id: await classId('standard'), rate_ppm: 99_750, compound: true };
  const racers = await Promise.all(
    Array.from({ length: 6 }, () =>
      client.send(path, 'POST', { ...compound, valid_to: '2027-01-01T00:00:00Z' }),
    ),
  );
  expect(racers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400, 400]);
  const duplicate = [400, 'VALIDATION_ERROR', 'DUPLICATE'];
  expect(await client.refusal(path, 'POST', compound)).toEqual(duplicate);
  const next = await client.data(path, 'POST', { ...compound, valid_from: '2027-01-01T00:00:00Z' });
  expect(
    await client.refusal(`/tax/rates/${next.id}`, 'PATCH', { valid_from: '2026-12-31T23:59:59Z' }),
  ).toEqual(duplicate);
  await client.data(path, 'POST', { ...compound, tax_class_id: await classId('reduced') });
  const plain = await client.data(path, 'POST', { ...compound, compound: false });
  expect(await client.refusal(`/tax/rates/${plain.id}`, 'PATCH', { compound: true })).toEqual(duplicate);
});

it('gives the price engine the rates of the one zone that applies', async () => {
  const [standard, reduced, shipping] = [
    await classId('standard'),
    await classId('reduced'),
    await classId('shipping'),
  ];
  const usa = await zoneOf('US');
  await addRate(usa, { name: 'Federal', tax_class_id: standard, rate_ppm: 10_000 });
  const west = await zoneOf('US', { regions: [{ country: 'US', state: 'CA' }] });
  await addRate(west, { name: 'State', tax_class_id: standard, rate_ppm: 60_000 });
  await addRate(west, { name: 'Old', tax_class_id: standard, rate_ppm: 1, valid_to: '2020-01-01T00:00:00Z' });
  await addRate(west, { name: 'City', tax_class_id: standard, rate_ppm: 28_750, position: 0 });
  await addRate(west, { name: 'Food', tax_class_id: reduced, rate_ppm: 5 });
  await addRate(west, {
    name: 'Freight',
    tax_class_id: shipping,
    rate_ppm: 60_000,
    applies_to_shipping: true,
  });
  const found = await tax.taxesAt(app.ctx, at('us', 'ca', '90210'));
  expect(found.zone?.id).toBe(west.id);
  expect(found.ofGoods(null)).toEqual([
    { name: 'State', ppm: 60_000, isCompound: false },
    { name: 'City', ppm: 28_750, isCompound: false },
  ]);
  expect(found.ofGoods(reduced).map(({ name }) => name)).toEqual(['Food']);
  expect(found.ofShipping(shipping).map(({ name }) => name)).toEqual(['Freight']);
  expect(found.ofShipping(standard)).toEqual([]);
  const elsewhere = await tax.taxesAt(app.ctx, at('US', 'TX'));
  expect(elsewhere.ofGoods(null).map(({ name }) => name)).toEqual(['Federal']);
  const nowhere = await tax.taxesAt(app.ctx, at('FR'));
  expect([nowhere.zone, nowhere.ofGoods(null)]).toEqual([null, []]);
});

it('an order is taxed at the address that the setting names, or the next one', async () => {
  const [shipping, billing] = [at('DE'), at('FR')];
  const placeBy = async (value: string, addresses: Parameters<typeof tax.taxPlace>[1]) => {
    await client.send('/settings', 'PATCH', { tax_based_on: value });
    return tax.taxPlace(app.ctx, addresses).country;
  };
  await client.send('/settings', 'PATCH', { default_country: 'AT', store_postal_code: '1010' });
  expect(await placeBy('billing', { shipping, billing })).toBe('FR');
  expect(await placeBy('billing', { shipping, billing: null })).toBe('DE');
  expect(await placeBy('store', { shipping, billing })).toBe('AT');
  expect(await placeBy('shipping', { shipping, billing })).toBe('DE');
  expect(await placeBy('shipping', { shipping: null, billing })).toBe('FR');
  expect(await placeBy('shipping', { shipping: null, billing: null })).toBe('AT');
  expect(tax.storePlace(app.ctx)).toEqual(at('AT', null, '1010'));
  expect((await client.send('/settings', 'PATCH', { tax_based_on: 'moon' })).status).toBe(400);
  expect((await client.send('/settings', 'PATCH', { tax_round_at: 'half' })).status).toBe(400);
});

it('shows what would be due before anybody buys', async () => {
  const zone = await zoneOf('DE');
  await addRate(zone, { name: 'VAT', tax_class_id: await classId('standard'), rate_ppm: 190_000 });
  await addRate(zone, {
    name: 'Freight',
    tax_class_id: await classId('shipping'),
    rate_ppm: 190_000,
    applies_to_shipping: true,
  });
  const variantOf = async (fields: object) => {
    const made = await client.data('/products', 'POST', mug(fields));
    return (made.variants as { id: string }[])[0]?.id;
  };
  const lines = [
    { variant_id: await variantOf({}), quantity: 2 },
    { variant_id: await variantOf({ is_taxable: false }), quantity: 1 },
  ];
  const body = { address: { country: 'de' }, lines, shipping_cents: 500 };
  const taxed = (net: number, due: number, name: string) => ({
    net_cents: net,
    tax_cents: due,
    total_cents: net + due,
    rates: [{ name, rate_ppm: 190_000, tax_cents: due }],
  });
  expect(await client.data('/tax/test', 'POST', body)).toEqual({
    zone: { id: zone.id, name: zone.name },
    lines: [taxed(3800, 722, 'VAT'), { net_cents: 1900, tax_cents: 0, total_cents: 1900, rates: [] }],
    shipping: taxed(500, 95, 'Freight'),
    total: { net_cents: 6200, tax_cents: 817, total_cents: 7017 },
  });
  expect(await client.data('/tax/test', 'POST', { ...body, tax_exempt: true })).toMatchObject({
    total: { tax_cents: 0, total_cents: 6200 },
  });
  expect(await client.data('/tax/test', 'POST', { ...body, address: { country: 'FR' } })).toMatchObject({
    zone: null,
    total: { tax_cents: 0 },
  });
  expect(await faultOf('/tax/test', 'POST', { ...body, address: { country: 'XX' } })).toEqual([
    400,
    'VALIDATION_ERROR',
    'address.country',
  ]);
  expect(
    await faultOf('/tax/test', 'POST', { ...body, lines: [{ variant_id: 'var_no', quantity: 1 }] }),
  ).toEqual([400, 'VALIDATION_ERROR', 'lines.0.variant_id']);
});

it('a zone may have a thousand regions, which are stored together', async () => {
  const regions = Array.from({ length: 1000 }, (_, n) => ({
    country: 'US',
    postal_pattern: `${10_000 + n}`,
  }));
  const made = await client.data('/tax/zones', 'POST', { name: 'Large', regions });
  expect(made.regions).toHaveLength(1000);
});
