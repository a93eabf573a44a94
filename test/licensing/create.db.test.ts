// POST /api/v1/license/create: fields, defaults, customers, dates and both edges of every bound (D9, D24, D43,
// D46 to D52, D56; A067).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

const path = '/api/v1/license/create';
const DAY = 86_400;

let app: TestApp;
let key: string;
let product: Product;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('CREATE_LICENSE')).secret;
  product = await app.product();
  await customers.create(app.ctx, { email: 'known@x.test' });
});
afterAll(() => app.close());

const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
const post = (body: object) =>
  app.changesBy(() => app.post(path, { productId: product.id, customerEmail: 'known@x.test', ...body }, key));
/** Of a license for a customer who is known already. */
const stored = { events: ['LICENSE_CREATED'], rows: { licenses: '+1', license_keys: '+1' } };

async function created(body: object) {
  const { result, changes } = await post(body);
  expect([result.status, changes]).toEqual([201, stored]);
  return result.body.license as (typeof result.body)[string];
}

async function refused(body: object, code = 'VALIDATION_ERROR', status = 400): Promise<string> {
  const { result, changes } = await post(body);
  expect([result.status, result.body.error?.code]).toEqual([status, code]);
  expect(changes).toEqual(nothing);
  return String(result.body.error?.message);
}

const rowOf = (id: unknown) =>
  app.instance.database.db
    .knex('licenses')
    .where({ id: String(id) })
    .first();

describe('success', () => {
  it('answers with LicenseCreated, filled with the defaults (D23, D49, D56)', async () => {
    const { result, changes } = await post({});
    expect(result.body).toEqual({
      success: true,
      license: {
        id: expect.stringMatching(/^lic_[0-9A-Z]{26}$/),
        key: expect.stringMatching(/^APP(?:-[0-9A-HJKMNP-TV-Z]{4}){4}$/),
        productId: product.id,
        product: product.id,
        type: 'PERPETUAL',
        tier: 'PERSONAL',
        status: 'ACTIVE',
        maxActivations: 1,
        validUntil: null,
        createdAt: app.ctx.now(),
      },
    });
    expect([result.status, changes]).toEqual([201, stored]);
    const [event] = await app.eventsOf(String(result.body.license?.id));
    expect(event?.data).toMatchObject({
      licenseKeyPrefix: String(result.body.license?.key).slice(0, 8),
      customerId: expect.stringMatching(/^cus_/),
      status: 'ACTIVE',
      details: { source: 'API', type: 'PERPETUAL', tier: 'PERSONAL', maxActivations: 1, orderId: null },
    });
  });

  it('stores every field that it takes (D52)', async () => {
    const policy = await app.policy();
    const fields = {
      type: 'SUBSCRIPTION',
      tier: 'ENTERPRISE',
      maxActivations: 7,
      validUntil: inDays(30),
      orderId: 'Order 1',
      metadata: { a: 1, b: { c: [null] } },
      policyId: policy.id,
      features: { sso: true },
      maxVersion: '2.4',
      maxUses: 0,
      gracePeriodSeconds: 60,
      notes: 'by phone',
    };
    const license = await created(fields);
    const row = await rowOf(license.id);
    expect(row).toMatchObject({
      type: 'SUBSCRIPTION',
      tier: 'ENTERPRISE',
      max_activations: 7,
      valid_until: inDays(30),
      order_id: 'Order 1',
      policy_id: policy.id,
      max_version: '2.4',
      max_uses: 0,
      grace_period_seconds: 60,
      notes: 'by phone',
    });
    expect([JSON.parse(row.metadata), JSON.parse(row.features)]).toEqual([fields.metadata, fields.features]);
  });

  it('keeps the key sealed: no row holds it', async () => {
    const license = await created({});
    const row = await app.instance.database.db
      .knex('license_keys')
      .where({ license_id: String(license.id) })
      .first();
    expect(row.key_enc).toMatch(/^v1\.[0-9a-f]{8}\./);
    expect(JSON.stringify(row)).not.toContain(license.key);
  });

  it('null for an optional field is the same as leaving it out (D6)', async () => {
    const optional = ['customerName', 'type', 'tier', 'maxActivations', 'orderId', 'metadata', 'policyId'];
    const more = ['features', 'maxVersion', 'maxUses', 'gracePeriodSeconds', 'notes'];
    const license = await created(Object.fromEntries([...optional, ...more].map((name) => [name, null])));
    expect(license).toMatchObject({ type: 'PERPETUAL', tier: 'PERSONAL', maxActivations: 1 });
  });

  it('draws the key from the format of the product (D56)', async () => {
    const format = await keyFormats.create(app.ctx, {
      name: 'Short',
      prefix: 'PHO',
      segments: 5,
      alphabet: 'HEX',
    });
    const special = await app.product({ keyFormatId: format.id });
    expect((await created({ productId: special.id })).key).toMatch(/^PHO(?:-[0-9A-F]{4}){5}$/);
  });
});

describe('the product', () => {
  it('is named by its id or its slug (D24)', async () => {
    expect((await created({ productId: product.slug })).productId).toBe(product.id);
  });

  it('unknown: 404; longer than 30 characters: 400 (D46)', async () => {
    expect(await refused({ productId: 'no-such' }, 'NOT_FOUND', 404)).toBe('product no-such was not found');
    await refused({ productId: 'x'.repeat(30) }, 'NOT_FOUND', 404);
    await refused({ productId: 'x'.repeat(31) });
    await refused({ productId: '' });
    await refused({ productId: 5 });
  });

  it.each(['DEPRECATED', 'DISCONTINUED'] as const)('%s is not sold any more (D43)', async (status) => {
    const old = await app.product({ status });
    expect(await refused({ productId: old.id })).toBe(
      `productId product ${old.slug} is ${status} and no longer sold`,
    );
  });

  it('gives the defaults', async () => {
    const other = await app.product({ defaultLicenseType: 'FLOATING', defaultMaxActivations: 9 });
    expect(await created({ productId: other.id })).toMatchObject({ type: 'FLOATING', maxActivations: 9 });
    expect(await created({ productId: other.id, type: 'BETA', maxActivations: 2 })).toMatchObject({
      type: 'BETA',
      maxActivations: 2,
    });
  });
});

describe('customers (D50)', () => {
  it('are found by their address in any case, and made once', async () => {
    const first = await post({ customerEmail: ' New@X.test ', customerName: '' });
    expect(first.changes).toEqual({
      events: ['CUSTOMER_CREATED', 'LICENSE_CREATED'],
      rows: { licenses: '+1', license_keys: '+1', license_customers: '+1' },
    });
    expect((await post({ customerEmail: 'NEW@x.TEST' })).changes).toEqual(stored);
  });

  it('get a name when they had none, and keep the one that they have', async () => {
    const name = async () =>
      (
        await app.instance.database.db
          .knex('license_customers')
          .where({ email_norm: 'name@x.test' })
          .first('name')
      ).name;
    const customerEmail = 'name@x.test';
    await post({ customerEmail });
    expect(await name()).toBeNull();
    expect((await post({ customerEmail, customerName: 'Ann' })).changes).toEqual({
      events: ['CUSTOMER_UPDATED', 'LICENSE_CREATED'],
      rows: { ...stored.rows, license_customers: '~1' },
    });
    expect(await name()).toBe('Ann');
    expect((await post({ customerEmail, customerName: 'Eve' })).changes).toEqual(stored);
    expect(await name()).toBe('Ann');
  });

  it('a refused create makes none', async () => {
    await refused({ customerEmail: 'nobody@x.test', policyId: 'pol_unknown' });
  });
});

describe('validUntil (D9, D47, D48)', () => {
  it('absent: the days of the policy, else of the product, for dated types only', async () => {
    const policy = await app.policy({ defaultDurationDays: 10 });
    const days = await app.product({ defaultDurationDays: 20 });
    const both = await app.product({ defaultDurationDays: 20, policyId: policy.id });
    const end = async (body: object) => (await created(body)).validUntil;
    expect(await end({ productId: days.id, type: 'SUBSCRIPTION' })).toBe(inDays(20));
    expect(await end({ productId: both.id, type: 'TRIAL' })).toBe(inDays(10));
    expect(await end({ productId: days.id, type: 'BETA', policyId: policy.id })).toBe(inDays(10));
    expect(await end({ productId: days.id, type: 'FLOATING' })).toBe(inDays(20));
    expect(await end({ productId: days.id, type: 'PERPETUAL' })).toBeNull();
    expect(await end({ type: 'SUBSCRIPTION' })).toBeNull();
    expect(await end({ productId: days.id, type: 'SUBSCRIPTION', validUntil: null })).toBeNull();
    expect(await end({ productId: days.id, type: 'PERPETUAL', validUntil: inDays(1) })).toBe(inDays(1));
  });

  it('in the past is stored, and the answer says EXPIRED', async () => {
    const validUntil = inDays(-1);
    expect(await created({ validUntil })).toMatchObject({ status: 'EXPIRED', validUntil });
    expect((await created({ validUntil: app.ctx.now() })).status).toBe('EXPIRED');
  });

  it.each([
    ['2027-01-31T12:00:00Z', '2027-01-31T12:00:00.000Z'],
    ['2027-01-31T12:00:00.5+02:00', '2027-01-31T10:00:00.500Z'],
    ['2028-02-29T23:59:59.123456-00:30', '2028-03-01T00:29:59.123Z'],
  ])('%s is stored as %s', async (sent, kept) => {
    expect((await created({ validUntil: sent })).validUntil).toBe(kept);
  });

  it.each([
    ['2027-01-31'],
    ['2027-01-31T12:00:00'],
    ['2027-02-29T00:00:00Z'],
    ['2027-13-01T00:00:00Z'],
    ['2027-01-31T24:00:00Z'],
    ['2027-01-31 12:00:00Z'],
    ['tomorrow'],
    [''],
    [1_800_000_000],
    ['+010000-01-01T00:00:00Z'],
    ['1969-12-31T23:59:59Z'],
  ])('%j is refused', async (validUntil) => {
    await refused({ validUntil });
  });
});

describe('bounds', () => {
  const long = (length: number) => 'x'.repeat(length);
  const address = (length: number) => `${long(length - 7)}@x.test`;

  it('customerEmail: an address of at most 255 characters', async () => {
    expect((await post({ customerEmail: address(255) })).result.status).toBe(201);
    await refused({ customerEmail: address(256) });
    for (const customerEmail of [
      '',
      'a',
      'a@b',
      'a b@x.test',
      'a@x.test\n.b',
      '@x.test',
      'a@@x.test',
      5,
      null,
    ])
      await refused({ customerEmail });
    expect((await app.post(path, { productId: product.id }, key)).status).toBe(400);
  });

  it.each([
    ['customerName', 255],
    ['orderId', 255],
    ['notes', 5000],
  ])('%s: at most %i characters', async (field, max) => {
    expect((await post({ [field]: long(max) })).result.status).toBe(201);
    await refused({ [field]: long(max + 1) });
    await refused({ [field]: 5 });
  });

  it.each([
    ['maxActivations', 1, 1000],
    ['maxUses', 0, Number.MAX_SAFE_INTEGER],
    ['gracePeriodSeconds', 0, 31_536_000],
  ])('%s: %i to %i', async (field, min, max) => {
    await created({ [field]: min });
    await created({ [field]: max });
    await refused({ [field]: min - 1 });
    await refused({ [field]: max + 1 });
    await refused({ [field]: min + 0.5 });
    await refused({ [field]: String(min) });
  });

  it.each([
    ['type', 'perpetual'],
    ['type', ''],
    ['tier', 'GOLD'],
    ['maxVersion', '2.x'],
    ['maxVersion', '1.2.3.4'],
    ['maxVersion', ''],
    ['policyId', 'pol_unknown'],
    ['policyId', ''],
    ['features', []],
    ['features', 'sso'],
  ])('%s %j is refused', async (field, value) => {
    expect(await refused({ [field]: value })).toContain(field);
  });

  it('metadata: 20 keys of 100 characters with values of 1000 (D51, A067)', async () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
    await created({ metadata: keys(20) });
    await created({ metadata: { [long(100)]: long(1000) } });
    await created({ metadata: { a: { b: long(992) } } });
    await created({ metadata: {} });
    await refused({ metadata: keys(21) });
    await refused({ metadata: { [long(101)]: 1 } });
    await refused({ metadata: { '': 1 } });
    await refused({ metadata: { a: long(1001) } });
    await refused({ metadata: { a: { b: long(993) } } });
    for (const metadata of [[], 'text', 5, true]) await refused({ metadata });
  });
});
