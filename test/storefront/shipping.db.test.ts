// Shipping zones, methods, rates and classes: by JSON, what they refuse, and what shoppers at a place are offered.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as shipping from '#storefront/pricing/shipping/index.ts';
import { SHIPPING_CLASS } from '#storefront/pricing/tax/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { another, mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

// Zones are of the whole shop: each test begins without any.
beforeEach(async () => {
  const { body } = await client.send('/shipping/zones?per_page=100');
  for (const { id } of body.data as unknown as Fields[]) await client.send(`/shipping/zones/${id}`, 'DELETE');
});

type Fields = Record<string, unknown> & { id: string };
const zoneOf = (country: string, fields: object = {}) =>
  client.data('/shipping/zones', 'POST', { name: `Zone ${another()}`, regions: [{ country }], ...fields });
const methodOf = (zone: Fields, kind: string, fields: object = {}) =>
  client.data(`/shipping/zones/${zone.id}/methods`, 'POST', { name: `Method ${another()}`, kind, ...fields });
const setRates = (method: Fields, rates: unknown) =>
  client.send(`/shipping/methods/${method.id}/rates`, 'PUT', { rates });
const priced = async (zone: Fields, kind: string, rates: object[], fields: object = {}) => {
  const method = await methodOf(zone, kind, fields);
  await setRates(method, rates);
  return method;
};
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
const parcel = { weightG: 1500, merchandiseCents: 4000, itemCount: 2, handlingCents: 0 };
const offered = async (place: ReturnType<typeof at>, more: object = {}) =>
  (await shipping.offers(app.ctx, place, { ...parcel, ...more })).map(({ method, priceCents }) => [
    method.id,
    priceCents,
  ]);

it('a zone has regions and methods with rates; each change emits one event', async () => {
  const { result: zone, changes } = await app.changesBy(() =>
    client.data('/shipping/zones', 'POST', { name: 'Home', regions: [{ country: 'de' }] }),
  );
  expect(changes).toEqual({
    events: ['shipping_zone.created'],
    rows: { shipping_zones: '+1', shipping_zone_regions: '+1' },
  });
  const made = await app.changesBy(() =>
    methodOf(zone, 'weight', { name: 'Parcel', eta_min_days: 1, eta_max_days: 3, carrier: 'DHL' }),
  );
  expect(made.changes).toEqual({
    events: ['shipping_method.created'],
    rows: { shipping_methods: '+1' },
  });
  const rates = [
    { min: 1000, price_cents: 690, per_unit_cents: 100 },
    { max: 1000, price_cents: 490 },
  ];
  const set = await app.changesBy(() => setRates(made.result, rates));
  expect(set.changes).toEqual({
    events: ['shipping_method.rates_set'],
    rows: { shipping_rates: '+2' },
  });
  const stored = [
    { id: expect.stringMatching(/^srt_/), min: 0, max: 1000, price_cents: 490, per_unit_cents: 0 },
    { id: expect.stringMatching(/^srt_/), min: 1000, max: null, price_cents: 690, per_unit_cents: 100 },
  ];
  expect(set.result.body.data).toEqual(stored);
  expect((await app.changesBy(() => setRates(made.result, rates))).changes.rows).toEqual({});
  expect((await client.send(`/shipping/methods/${made.result.id}/rates`)).body.data).toEqual(stored);
  expect(await client.data(`/shipping/zones/${zone.id}`)).toEqual({
    id: expect.stringMatching(/^szn_/),
    name: 'Home',
    position: 0,
    regions: [{ country: 'DE', state: null, postal_pattern: null }],
    methods: [
      {
        id: expect.stringMatching(/^smt_/),
        zone_id: zone.id,
        tax_class_id: SHIPPING_CLASS,
        name: 'Parcel',
        description: null,
        carrier: 'DHL',
        kind: 'weight',
        eta_min_days: 1,
        eta_max_days: 3,
        free_over_cents: null,
        active: true,
        position: 0,
        rates: stored,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ],
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const path = `/shipping/methods/${made.result.id}`;
  expect((await app.changesBy(() => client.data(path, 'PATCH', { carrier: 'DHL' }))).changes.rows).toEqual(
    {},
  );
  expect(await client.data(path, 'PATCH', { carrier: null, active: false })).toMatchObject({
    carrier: null,
    active: false,
  });
  const moved = await app.changesBy(() =>
    client.data(`/shipping/zones/${zone.id}`, 'PATCH', { regions: [{ country: 'AT' }, { country: 'CH' }] }),
  );
  expect(moved.changes.events).toEqual(['shipping_zone.updated']);
  expect((await client.send(`/shipping/zones/${zone.id}`, 'DELETE')).body.data).toEqual({ deleted: true });
  expect((await client.send(path)).status).toBe(404);
});

it('refuses what makes no sense', async () => {
  const zone = await zoneOf('DE');
  const path = `/shipping/zones/${zone.id}/methods`;
  for (const [fields, field] of [
    [{ kind: 'drone' }, 'kind'],
    [{ name: '' }, 'name'],
    [{ tax_class_id: 'tcl_no' }, 'tax_class_id'],
    [{ eta_min_days: 5, eta_max_days: 4 }, 'eta_max_days'],
    [{ eta_min_days: -1 }, 'eta_min_days'],
    [{ free_over_cents: -1 }, 'free_over_cents'],
    [{ free_over_cents: 1.5 }, 'free_over_cents'],
  ] as const)
    expect(await faultOf(path, 'POST', { name: 'Bad', kind: 'flat', ...fields })).toEqual([
      400,
      'VALIDATION_ERROR',
      field,
    ]);
  expect((await client.send(path, 'POST', { name: 'x' })).body.error_code).toBe('VALIDATION_MISSING_FIELD');
  expect(
    (await client.send('/shipping/zones/szn_no/methods', 'POST', { name: 'x', kind: 'flat' })).status,
  ).toBe(404);
  expect((await client.send('/shipping/zones', 'POST', { name: 'x' })).body.error_code).toBe(
    'VALIDATION_MISSING_FIELD',
  );
  const nowhere = { name: 'x', regions: [{ country: 'XX' }] };
  expect(await faultOf('/shipping/zones', 'POST', nowhere)).toEqual([
    400,
    'VALIDATION_ERROR',
    'regions.0.country',
  ]);
  const reader = await storeClient(app, 'viewer');
  expect((await reader.send(path, 'POST', { name: 'x', kind: 'flat' })).status).toBe(403);
  expect((await app.get('/api/store/shipping/zones')).status).toBe(401);
});

it('refuses rates that overlap, and what a kind does not know', async () => {
  const zone = await zoneOf('DE');
  const ratesFault = async (kind: string, rates: unknown) =>
    (await faultOf(`/shipping/methods/${(await methodOf(zone, kind)).id}/rates`, 'PUT', { rates }))[2];
  expect(
    await ratesFault('weight', [
      { max: 10, price_cents: 1 },
      { min: 9, price_cents: 1 },
    ]),
  ).toBe('rates.1.min');
  expect(await ratesFault('price', [{ min: 5, max: 5, price_cents: 1 }])).toBe('rates.0.max');
  expect(await ratesFault('price', [{ price_cents: 1, per_unit_cents: 1 }])).toBe('rates.0.per_unit_cents');
  expect(await ratesFault('flat', [{ min: 1, price_cents: 1 }])).toBe('rates.0');
  expect(await ratesFault('flat', [{ price_cents: 1 }, { price_cents: 1 }])).toBe('rates.1');
  expect(await ratesFault('item', [{ price_cents: -1 }])).toBe('rates.0.price_cents');
  expect(await ratesFault('item', [{ price_cents: 1.5 }])).toBe('rates.0.price_cents');
  const method = await methodOf(zone, 'weight');
  for (const rates of [undefined, {}, [{}], [{ price_cents: 'x' }], Array(101).fill({ price_cents: 1 })])
    expect((await setRates(method, rates)).status).toBe(400);
  expect((await client.send('/shipping/methods/smt_no/rates', 'PUT', { rates: [] })).status).toBe(404);
  const [free, transition] = [await methodOf(zone, 'free'), [400, 'VALIDATION_ERROR', 'INVALID_TRANSITION']];
  expect(
    await client.refusal(`/shipping/methods/${free.id}/rates`, 'PUT', { rates: [{ price_cents: 1 }] }),
  ).toEqual(transition);
  // Grams are no amounts: the kind changes once the rates are gone.
  await setRates(method, [{ price_cents: 1 }]);
  const path = `/shipping/methods/${method.id}`;
  expect(await client.refusal(path, 'PATCH', { kind: 'price' })).toEqual(transition);
  await setRates(method, []);
  expect((await client.data(path, 'PATCH', { kind: 'price' })).kind).toBe('price');
});

it('offers the methods of the one zone that applies, in their order', async () => {
  const [germany, berlin] = [
    await zoneOf('DE'),
    await zoneOf('DE', { regions: [{ country: 'DE', postal_pattern: '10000..14199' }] }),
  ];
  const parcelMethod = await priced(germany, 'weight', [
    { max: 1000, price_cents: 490 },
    { min: 1000, max: 30_000, price_cents: 690, per_unit_cents: 100 },
  ]);
  const flat = await priced(germany, 'flat', [{ price_cents: 900 }], { free_over_cents: 5000, position: 0 });
  await priced(germany, 'flat', [{ price_cents: 1 }], { active: false });
  await methodOf(germany, 'flat');
  const pickup = await methodOf(berlin, 'pickup');
  expect(await offered(at('de', null, '80331'))).toEqual([
    [parcelMethod.id, 790],
    [flat.id, 900],
  ]);
  expect(await offered(at('DE'), { merchandiseCents: 5000, weightG: 30_000 })).toEqual([[flat.id, 0]]);
  expect(await offered(at('DE', null, '10115'))).toEqual([[pickup.id, 0]]);
  expect(await offered(at('DE'), { itemCount: 0 })).toEqual([]);
  expect(await offered(at('FR'))).toEqual([]);
});

it('countries of address forms are those that something is shipped to', async () => {
  const codes = async (query: string) =>
    ((await app.get(`/api/shop/countries${query}`)).body.data as unknown as { code: string }[]).map(
      ({ code }) => code,
    );
  expect(await codes('?for=shipping')).toHaveLength(249);
  const zone = await zoneOf('DE', { regions: [{ country: 'DE' }, { country: 'US', state: 'CA' }] });
  await zoneOf('FR');
  const method = await methodOf(zone, 'pickup');
  expect((await codes('?for=shipping')).toSorted()).toEqual(['DE', 'US']);
  expect(await codes('?for=billing')).toHaveLength(249);
  await methodOf(await zoneOf('*'), 'free');
  expect(await codes('?for=shipping')).toHaveLength(249);
  expect(method.active).toBe(true);
});

it('handling of the dearest class in the cart is added once', async () => {
  const [small, big] = [
    await client.data('/shipping/classes', 'POST', { name: 'Small', handling_cents: 100 }),
    await client.data('/shipping/classes', 'POST', { name: 'Big', handling_cents: 700 }),
  ];
  const variantOf = async (fields: object) => {
    const number = another();
    const variants = [{ sku: `BOX-${number}`, price_cents: 1000, weight_g: 400, ...fields }];
    const made = await client.data('/products', 'POST', mug({ variants }));
    return (made.variants as (Fields & { shipping_class_id: string })[])[0] as Fields;
  };
  const lines = [
    { variantId: (await variantOf({ shipping_class_id: small.id })).id, quantity: 2 },
    { variantId: (await variantOf({ shipping_class_id: big.id })).id, quantity: 1 },
    { variantId: (await variantOf({ requires_shipping: false, weight_g: 900 })).id, quantity: 3 },
  ];
  const unknown = (id: string) => new Error(`variant ${id} does not exist`);
  expect(await shipping.parcelOf(app.ctx, lines, unknown)).toEqual({
    weightG: 1200,
    merchandiseCents: 6000,
    itemCount: 3,
    handlingCents: 700,
  });
  await expect(shipping.parcelOf(app.ctx, [{ variantId: 'var_no', quantity: 1 }], unknown)).rejects.toThrow(
    'variant var_no does not exist',
  );
  const method = await priced(await zoneOf('DE'), 'item', [{ price_cents: 300, per_unit_cents: 50 }]);
  const body = {
    address: { country: 'de' },
    lines: lines.map(({ variantId, quantity }) => ({ variant_id: variantId, quantity })),
  };
  expect((await client.send('/shipping/test', 'POST', body)).body.data).toEqual([
    {
      id: method.id,
      name: method.name,
      kind: 'item',
      price_cents: 300 + 3 * 50 + 700,
      eta_min_days: null,
      eta_max_days: null,
    },
  ]);
  const wrong = { ...body, lines: [{ variant_id: 'var_no', quantity: 1 }] };
  expect(await faultOf('/shipping/test', 'POST', wrong)).toEqual([
    400,
    'VALIDATION_ERROR',
    'lines.0.variant_id',
  ]);
  expect((await client.send('/shipping/test', 'POST', { ...body, address: { country: 'XX' } })).status).toBe(
    400,
  );
});

it('a class of variants stays while one is of it, and says what to do', async () => {
  const made = await app.changesBy(() =>
    client.data('/shipping/classes', 'POST', { name: 'Bulky', handling_cents: 500 }),
  );
  expect(made.changes).toEqual({ events: ['shipping_class.created'], rows: { shipping_classes: '+1' } });
  const { id } = made.result;
  expect(await client.data(`/shipping/classes/${id}`, 'PATCH', { handling_cents: 600 })).toMatchObject({
    name: 'Bulky',
    handling_cents: 600,
  });
  const variants = [{ sku: `BULK-${another()}`, price_cents: 1, shipping_class_id: id }];
  const product = await client.data('/products', 'POST', mug({ variants }));
  const [variant] = product.variants as Fields[];
  expect(variant?.shipping_class_id).toBe(id);
  expect(await client.refusal(`/shipping/classes/${id}`, 'DELETE')).toEqual([
    400,
    'VALIDATION_ERROR',
    'IN_USE',
  ]);
  const path = `/variants/${variant?.id}`;
  const refused = [400, 'VALIDATION_ERROR', 'shipping_class_id'];
  expect(await faultOf(path, 'PATCH', { shipping_class_id: 'scl_no' })).toEqual(refused);
  const unknown = [{ sku: `BULK-${another()}`, price_cents: 1, shipping_class_id: 'scl_no' }];
  expect(await faultOf('/products', 'POST', mug({ variants: unknown }))).toEqual(refused);
  const copy = await client.data(`/products/${product.id}/duplicate`, 'POST', {});
  expect((copy.variants as Fields[])[0]?.shipping_class_id).toBe(id);
  for (const one of [variant, (copy.variants as Fields[])[0]])
    await client.data(`/variants/${one?.id}`, 'PATCH', { shipping_class_id: null });
  expect((await client.send(`/shipping/classes/${id}`, 'DELETE')).body.data).toEqual({ deleted: true });
  for (const fields of [{ name: '' }, { name: 'x', handling_cents: -1 }, {}])
    expect((await client.send('/shipping/classes', 'POST', fields)).status).toBe(400);
});

it('keeps the rates of one of those who set them at once', async () => {
  const method = await methodOf(await zoneOf('DE'), 'weight');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      setRates(method, [
        { max: 1000, price_cents: 100 + n },
        { min: 1000, price_cents: 200 + n },
      ]),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  const { body } = await client.send(`/shipping/methods/${method.id}/rates`);
  const rates = body.data as unknown as { price_cents: number }[];
  const [low, high] = rates;
  expect([rates.length, (high?.price_cents ?? 0) - (low?.price_cents ?? 0)]).toEqual([2, 100]);
});

it('a zone may have a thousand regions, which are stored together', async () => {
  const regions = Array.from({ length: 1000 }, (_, n) => ({
    country: 'US',
    postal_pattern: `${10_000 + n}`,
  }));
  const made = await client.data('/shipping/zones', 'POST', { name: 'Large', regions });
  expect(made.regions).toHaveLength(1000);
});
