// Licenses of other products come in with their keys (licensing 6.11). The samples are made by hand from the public
// descriptions of the formats. What holds for every import: faults, repetition, dry runs, events, tenants.

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '#licensing/catalog/products/index.ts';
import { licenses as licensesCapability } from '#licensing/licenses/licenses/capability.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import {
  type ForeignImportAsked,
  importLicenses,
  readColumnMap,
} from '#licensing/moving/portability/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { checkInvariants } from '../support/invariants.ts';

let app: TestApp;
let product: Product;
let apiKey: string;
beforeAll(async () => {
  app = await startApp({ listener: true });
  product = await app.product({ slug: 'editor', defaultMaxActivations: 2 });
  apiKey = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());

const sample = (name: string) => createReadStream(join(import.meta.dirname, 'import', name));
const asked = (
  source: ForeignImportAsked['source'],
  more: Partial<ForeignImportAsked> = {},
): ForeignImportAsked => ({
  source,
  product: 'editor',
  map: new Map(),
  dryRun: false,
  fireEvents: false,
  ...more,
});
const run = (name: string, source: ForeignImportAsked['source'], more: Partial<ForeignImportAsked> = {}) =>
  importLicenses(app.ctx, sample(name), asked(source, more));

/** The license of a key as staff see it, with its machines. */
async function stored(key: string) {
  const license = await licenses.getByKey(app.ctx, key);
  const machines = await licenses.listActivations(app.ctx, license.id);
  return { ...license, machines: machines.map(({ machineId, machineName }) => [machineId, machineName]) };
}

const counts = { created: 0, updated: 0, skipped: 0, failed: 0 };

describe('Keygen', () => {
  test('a JSON:API dump: keys, owners, limits, usage, machines; nobody is told', async () => {
    const before = app.heard.length;
    const report = await run('keygen.json', 'keygen');
    expect(report).toEqual({
      ...counts,
      rows: 3,
      created: 3,
      warnings: [
        { row: 1, message: 'machine IDs with fewer than 8 characters now start with imported-' },
        { row: 2, message: 'no activation limit at the source: 1000 here' },
      ],
      errors: [],
    });
    const ann = await stored('E04634-8F8409-F6F9B2-BC1DD4-E1EC21-V3');
    expect(ann).toMatchObject({
      productId: product.id,
      type: 'SUBSCRIPTION',
      storedStatus: 'ACTIVE',
      maxActivations: 3,
      activationsUsed: 2,
      validUntil: '2031-01-20T22:24:49.252Z',
      maxUses: 100,
      currentUses: 42,
      orderId: 'A-1001',
      metadata: { orderId: 'A-1001', team: { name: 'blue' } },
      customer: { email: 'ann@x.test', name: 'Ann Example' },
      createdAt: '2024-01-20T22:24:49.252Z',
      source: 'IMPORT',
      machines: [
        ['4d:Eq:UV:D3:XZ:tL:WN:Bz:mA:Eg:E6:Mk:YX:dK:NC', "Ann's laptop"],
        ['imported-ab12', null],
      ],
    });
    expect(await app.eventsOf(ann.id)).toEqual([
      {
        type: 'LICENSE_IMPORTED',
        data: {
          details: {
            source: 'IMPORT',
            from: 'keygen',
            type: 'SUBSCRIPTION',
            tier: 'PERSONAL',
            maxActivations: 3,
            validUntil: '2031-01-20T22:24:49.252Z',
            orderId: 'A-1001',
          },
        },
      },
    ]);
    const told = app.heard.slice(before).map(({ type }) => type);
    expect(new Set(told)).toEqual(new Set(['CUSTOMER_CREATED', 'LICENSE_IMPORTED']));
  });

  test('suspended, without end and without user: status, PERPETUAL, metadata.email', async () => {
    expect(await stored('C1B6DE-39A6E3-DE1529-8559A0-4AF593-V3')).toMatchObject({
      type: 'PERPETUAL',
      storedStatus: 'SUSPENDED',
      maxActivations: 1000,
      validUntil: null,
      customer: { email: 'Bob@X.test', name: null },
    });
  });

  test('a license that ended is EXPIRED, and the job announces nothing', async () => {
    const cole = await stored('0123456789ABCDEF');
    expect(cole).toMatchObject({ storedStatus: 'EXPIRED', customer: { name: 'Cole' } });
    const job = licensesCapability.jobs?.find(({ name }) => name === 'license-expiry');
    await job?.run(app.ctx);
    expect((await app.eventsOf(cole.id)).map(({ type }) => type)).toEqual(['LICENSE_IMPORTED']);
  });

  test('the CSV of it', async () => {
    const report = await run('keygen.csv', 'keygen');
    expect(report).toMatchObject({ created: 2, failed: 0 });
    expect(report.warnings).toEqual([{ row: 3, message: 'no activation limit at the source: 1000 here' }]);
    expect(await stored('AAAA11-BBBB22-CCCC33-V3')).toMatchObject({
      maxActivations: 2,
      maxUses: 10,
      currentUses: 5,
      validUntil: '2031-01-20T22:24:49.000Z',
      orderId: 'K-7',
      metadata: { orderId: 'K-7', plan: 'pro' },
      customer: { email: 'dora@x.test', name: 'Dora Doe' },
      machines: [
        ['machine-000a', null],
        ['machine-000b', null],
      ],
    });
    expect(await stored('DDDD11-EEEE22-FFFF33-V3')).toMatchObject({ customer: { email: 'ed@x.test' } });
  });

  test('an old key validates on its old machine, in any case', async () => {
    const body = { key: 'e04634-8f8409-f6f9b2-bc1dd4-e1ec21-v3', machineId: 'imported-ab12' };
    const reply = await app.post('/api/v1/license/validate', body, apiKey);
    expect(reply.body).toMatchObject({
      valid: true,
      code: 'VALID',
      activation: { machineId: 'imported-ab12', activatedAt: '2024-02-02T10:00:00.000Z' },
      usage: { current: 42, max: 100 },
    });
    const created = await app.post(
      '/api/v1/license/activate',
      { licenseKey: body.key, machineId: 'machine-0003' },
      apiKey,
    );
    expect(created).toMatchObject({ status: 200, body: { license: { activationsUsed: 3 } } });
  });
});

describe('Lemon Squeezy', () => {
  test('JSON: instances are machines, the ids stay as ls_*, disabled is SUSPENDED', async () => {
    expect(await run('lemonsqueezy.json', 'lemonsqueezy')).toMatchObject({ created: 2, failed: 0 });
    expect(await stored('80e15db5-c796-436b-850c-8f9c98a48abe')).toMatchObject({
      type: 'PERPETUAL',
      maxActivations: 5,
      orderId: '33',
      metadata: { ls_id: '1', ls_store_id: 11, ls_customer_id: 22, ls_order_item_id: 44, ls_product_id: 55 },
      customer: { email: 'luke@x.test', name: 'Luke Skywalker' },
      createdAt: '2021-05-24T14:15:07.000Z',
      machines: [['f70a79fa-6054-433e-9c1b-0a1a2b3c4d5e', 'X-wing']],
    });
    expect(await stored('38b1460a-5104-4067-a91d-77b872934d51')).toMatchObject({
      type: 'SUBSCRIPTION',
      storedStatus: 'SUSPENDED',
      maxActivations: 1000,
    });
  });

  test('CSV', async () => {
    expect(await run('lemonsqueezy.csv', 'lemonsqueezy')).toMatchObject({ created: 2, failed: 0 });
    expect(await stored('11111111-5104-4067-a91d-77b872934d51')).toMatchObject({
      storedStatus: 'SUSPENDED',
      maxActivations: 3,
      orderId: '35',
      metadata: { ls_id: '7', ls_store_id: '11', ls_order_item_id: '45', ls_product_id: '55' },
    });
  });
});

describe('Cryptlex', () => {
  test('CSV: end from date, interval or seconds; suspended, revoked, floating; other columns stay', async () => {
    const report = await run('cryptlex.csv', 'cryptlex');
    expect(report).toMatchObject({ created: 4, failed: 0 });
    expect(report.warnings).toEqual([
      { row: 4, message: '1 machine was left out: the license is revoked' },
      { row: 5, message: '1 machine was left out: seats of a floating license must be checked out again' },
    ]);
    const rest = '-E8A2A3-4D31B7-8FF9C6-81A6CA-539E54';
    expect(await stored(`0A2035${rest}`)).toMatchObject({
      validUntil: '2031-05-05T08:49:17.936Z',
      createdAt: '2025-05-06T08:49:17.936Z',
      customer: { name: 'Grace Hopper' },
      orderId: 'C-1',
      metadata: { Notes: 'vip', Tags: 'a,b' },
      machines: [['fp-0000-0001', 'navy']],
    });
    expect(await stored(`1A2035${rest}`)).toMatchObject({
      storedStatus: 'SUSPENDED',
      validUntil: '2030-02-28T00:00:00.000Z',
      metadata: {},
    });
    expect(await stored(`2A2035${rest}`)).toMatchObject({
      storedStatus: 'REVOKED',
      validUntil: '2030-03-02T00:00:00.000Z',
      activationsUsed: 0,
    });
    expect(await stored(`3A2035${rest}`)).toMatchObject({
      type: 'FLOATING',
      maxActivations: 25,
      validUntil: null,
      activationsUsed: 0,
    });
  });
});

describe('any CSV', () => {
  test('every field, a separator of its own, defaults of the product, a mapped column', async () => {
    const policy = await app.policy({ name: 'office' });
    const map = readColumnMap({ phone: 'metadata.phone' });
    const report = await run('generic.csv', 'csv', { map });
    expect(report).toMatchObject({ created: 2, failed: 0, warnings: [] });
    expect(await stored('abcd-1234-EFGH')).toMatchObject({
      type: 'TRIAL',
      tier: 'BUSINESS',
      storedStatus: 'SUSPENDED',
      maxActivations: 7,
      validUntil: '2031-01-01T23:59:59.999Z',
      maxUses: 100,
      currentUses: 12,
      features: { export: true },
      maxVersion: '2.4',
      policyId: policy.id,
      orderId: 'G-1',
      notes: 'call her',
      createdAt: '2024-05-01T10:00:00.000Z',
      metadata: { team: 'red', phone: '123' },
      customer: { email: 'zoe@x.test', name: '=Zoe' },
      machines: [
        ['machine-0001', null],
        ['machine-0002', null],
      ],
    });
    const plain = await stored('plain-key-0001');
    expect(plain).toMatchObject({ type: 'PERPETUAL', maxActivations: 2, policyId: null, metadata: {} });
    expect(licenses.licenseView(app.ctx, plain, { reveal: true }).key).toBe('plain-key-0001');
  });

  test('a column that no field takes is told once', async () => {
    const report = await run('generic.csv', 'csv', { dryRun: true });
    expect(report.warnings.filter(({ message }) => message.includes('Phone'))).toEqual([
      { row: 2, message: 'no field takes Phone; --map COLUMN=FIELD names one' },
    ]);
  });
});

describe('every import', () => {
  test('each fault has its code, and costs its own row only', async () => {
    await app.license({ productId: (await app.product()).id, key: 'taken-key-001' });
    const report = await run('bad-rows.csv', 'csv', { product: undefined });
    const codes = report.errors.map(({ row, code }) => [row, code]);
    expect(codes).toEqual([
      [2, 'KEY_FORMAT'],
      [3, 'KEY_FORMAT'],
      [4, 'KEY_FORMAT'],
      [6, 'DUPLICATE_KEY'],
      [7, 'EMAIL_INVALID'],
      [8, 'EMAIL_INVALID'],
      [9, 'PRODUCT_UNKNOWN'],
      [10, 'PRODUCT_UNKNOWN'],
      [11, 'DATE_INVALID'],
      [12, 'DATE_INVALID'],
      [13, 'LIMIT_RANGE'],
      [14, 'LIMIT_RANGE'],
      [15, 'LIMIT_RANGE'],
      [16, 'LIMIT_RANGE'],
      [17, 'VALUE_INVALID'],
      [18, 'VALUE_INVALID'],
      [19, 'POLICY_UNKNOWN'],
      [20, 'VALUE_INVALID'],
      [21, 'ROW_INVALID'],
      [23, 'DUPLICATE_KEY'],
    ]);
    expect(report).toMatchObject({ rows: 22, created: 2, failed: 20 });
    expect(JSON.stringify(report)).not.toMatch(/taken-key|good-key/i);
    expect(await stored('good-key-0017')).toMatchObject({ maxActivations: 1000 });
  });

  test('a second run of a file changes nothing', async () => {
    await run('keygen.json', 'keygen');
    const { result, changes } = await app.changesBy(() => run('keygen.json', 'keygen'));
    expect(result).toEqual({ ...counts, rows: 3, skipped: 3, warnings: [], errors: [] });
    expect(changes).toEqual({ events: [], rows: {} });
  });

  test('a dry run reports what an import would, and writes nothing', async () => {
    const text = 'key,email,maxActivations\ndry-key-0001,dry@x.test,0\nDRY-KEY-0001,dry@x.test,1\n';
    const bytes = async function* () {
      yield Buffer.from(text);
    };
    const { result, changes } = await app.changesBy(() =>
      importLicenses(app.ctx, bytes(), asked('csv', { dryRun: true })),
    );
    expect(changes).toEqual({ events: [], rows: {} });
    expect(await importLicenses(app.ctx, bytes(), asked('csv'))).toEqual(result);
    expect(result).toMatchObject({
      rows: 2,
      created: 1,
      failed: 1,
      errors: [{ row: 3, code: 'DUPLICATE_KEY' }],
    });
  });

  test('with fireEvents webhooks hear of the license and its machines', async () => {
    const text = 'key,email,machines\nloud-key-0001,loud@x.test,machine-000x\n';
    const bytes = async function* () {
      yield Buffer.from(text);
    };
    const before = app.heard.length;
    await importLicenses(app.ctx, bytes(), asked('csv', { fireEvents: true }));
    const heard = app.heard.slice(before).filter(({ type }) => /LICENSE_(CREATED|ACTIVATED)/.test(type));
    expect(heard.map(({ type }) => type)).toEqual(['LICENSE_CREATED', 'LICENSE_ACTIVATED']);
    expect(heard[0]?.data).toMatchObject({ machineIds: ['machine-000x'], details: { source: 'IMPORT' } });
  });

  test('more machines than the limit stay, and doctor is content with everything', async () => {
    const text = 'key,email,maxActivations,machines\nmany-key-0001,many@x.test,1,machine-0001 machine-0002\n';
    const bytes = async function* () {
      yield Buffer.from(text);
    };
    await importLicenses(app.ctx, bytes(), asked('csv'));
    expect(await stored('many-key-0001')).toMatchObject({ maxActivations: 1, activationsUsed: 2 });
    expect(await checkInvariants(app.ctx)).toMatchObject({ status: 'ok' });
  });

  test('another tenant neither sees the keys nor can take them', async () => {
    const other = await app.otherTenant();
    await app.product({ slug: 'editor' }, other);
    const report = await importLicenses(other, sample('keygen.json'), asked('keygen'));
    expect(report).toMatchObject({ created: 0, skipped: 0, failed: 3 });
    expect(report.errors.map(({ code }) => code)).toEqual([
      'DUPLICATE_KEY',
      'DUPLICATE_KEY',
      'DUPLICATE_KEY',
    ]);
  });

  test('an unknown product or policy of the command ends it before the first row', async () => {
    await expect(run('keygen.json', 'keygen', { product: 'nope' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(run('keygen.json', 'keygen', { policy: 'nope' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
