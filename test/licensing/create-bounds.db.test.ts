// POST /api/v1/license/create: dates and both edges of every bound (D9, D47, D48, D51; A067).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as customers from '#licensing/catalog/customers/index.ts';
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
