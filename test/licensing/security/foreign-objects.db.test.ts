// What belongs to another tenant, or lies outside the products of an API key, answers as unknown (D19c; A023, A061).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { type MadeLicense, startApp, type TestApp } from '../../support/app.ts';
import { nothing } from '../../support/database-changes.ts';
import type { Answer } from '../../support/http-client.ts';

const machineId = 'machine-0001';
const unknownKey = 'APP-0000-0000-0000-0000';

let app: TestApp;
let foreign: Ctx;
let hidden: { what: string; secret: string; license: MadeLicense }[];
beforeAll(async () => {
  app = await startApp();
  foreign = await app.otherTenant();
  const [mine, other] = [await app.product(), await app.product()];
  const confined = await app.apiKey('FULL_ADMIN', { productIds: [mine.id] });
  const own = await app.apiKey('FULL_ADMIN');
  const nowhere = await app.apiKey('FULL_ADMIN', { productIds: [] });
  const license = await app.license({ productId: other.id });
  hidden = [
    { what: 'of another tenant', secret: own.secret, license: await app.license({}, foreign) },
    { what: 'outside the products of the key', secret: confined.secret, license },
    { what: 'for a key of no product', secret: nowhere.secret, license },
  ];
});
afterAll(() => app.close());

const withoutRequest = ({ requestId: _, serverTime: __, ...rest }: Answer) => rest;

describe('a license', () => {
  it.each([0, 1, 2])('is not seen, and the answer is that of an unknown key (%i)', async (index) => {
    const { secret, license } = hidden[index] as (typeof hidden)[number];
    for (const name of ['activate', 'deactivate', 'validate']) {
      const ask = async (licenseKey: string) => {
        const path = `/api/v1/license/${name}`;
        const { result, changes } = await app.changesBy(() =>
          app.post(path, { licenseKey, machineId }, secret),
        );
        expect(changes).toEqual(nothing);
        return { status: result.status, body: withoutRequest(result.body) };
      };
      const answer = await ask(license.key);
      expect(answer).toEqual(await ask(unknownKey));
      expect(answer.status).toBe(name === 'validate' ? 200 : 404);
      expect(name === 'validate' ? answer.body.code : answer.body.error?.code).toBe('NOT_FOUND');
    }
    const checked = await app.get(`/api/v1/license/check/${license.key}`, secret);
    expect([checked.status, checked.body.error]).toEqual([
      404,
      { code: 'NOT_FOUND', message: 'License not found' },
    ]);
  });
});

describe('a product', () => {
  it('outside of the key is not listed and cannot be sold', async () => {
    const [mine, other] = [await app.product(), await app.product()];
    const theirs = await app.product({}, foreign);
    const { secret } = await app.apiKey('FULL_ADMIN', { productIds: [mine.id] });
    const listed = await app.get('/api/v1/products?limit=500', secret);
    expect(listed.body.products).toMatchObject([{ id: mine.id }]);
    expect(listed.body.pagination).toMatchObject({ total: 1 });
    for (const productId of [other.id, other.slug, theirs.id, theirs.slug, 'prd_unknown']) {
      const body = { productId, customerEmail: 'a@x.test' };
      const { result, changes } = await app.changesBy(() => app.post('/api/v1/license/create', body, secret));
      expect([result.status, result.body.error]).toEqual([
        404,
        { code: 'NOT_FOUND', message: `product ${productId} was not found` },
      ]);
      expect(changes).toEqual(nothing);
    }
  });

  it('of every tenant is listed to its own keys only', async () => {
    const { secret } = await app.apiKey('READ_ONLY', {}, foreign);
    const own = await app.apiKey('READ_ONLY');
    const idsOf = async (key: string) => {
      const { body } = await app.get('/api/v1/products?limit=500', key);
      return (body.products as unknown as { id: string }[]).map((product) => product.id);
    };
    const [theirs, mine] = [await idsOf(secret), await idsOf(own.secret)];
    expect(theirs.length).toBeGreaterThan(0);
    expect(theirs.filter((id) => mine.includes(id))).toEqual([]);
  });
});

describe('idempotency keys', () => {
  const create = (key: string, productId: string, header: string) =>
    app.post('/api/v1/license/create', { productId, customerEmail: 'a@x.test' }, key, {
      'X-Idempotency-Key': header,
    });

  it('of two tenants do not meet', async () => {
    const [mine, theirs] = [await app.product(), await app.product({}, foreign)];
    const [own, other] = [await app.apiKey('FULL_ADMIN'), await app.apiKey('FULL_ADMIN', {}, foreign)];
    expect((await create(own.secret, mine.id, 'shared')).status).toBe(201);
    expect((await create(other.secret, theirs.id, 'shared')).status).toBe(201);
  });

  it('show no license of a product outside the API key', async () => {
    const [mine, other] = [await app.product(), await app.product()];
    const { secret } = await app.apiKey('FULL_ADMIN');
    const confined = await app.apiKey('FULL_ADMIN', { productIds: [mine.id] });
    expect((await create(secret, other.id, 'confined')).status).toBe(201);
    const { result, changes } = await app.changesBy(() => create(confined.secret, mine.id, 'confined'));
    expect([result.status, result.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    expect(changes).toEqual(nothing);
  });
});

it('create takes nothing that it does not name (A061)', async () => {
  const { id: productId } = await app.product();
  const { secret } = await app.apiKey('CREATE_LICENSE');
  const forbidden = {
    status: 'REVOKED',
    id: 'lic_00000000000000000000000000',
    key: 'MINE-AAAA-BBBB-CCCC-DDDD',
    force: true,
    currentUses: 5,
    current_uses: 5,
    tenantId: foreign.tenantId,
    tenant_id: foreign.tenantId,
    createdAt: '2000-01-01T00:00:00.000Z',
    source: 'ADMIN',
    honeypot: true,
    deletedAt: '2000-01-01T00:00:00.000Z',
  };
  const body = { productId, customerEmail: 'mass@x.test', ...forbidden };
  const { result, changes } = await app.changesBy(() => app.post('/api/v1/license/create', body, secret));
  expect(result.status).toBe(201);
  expect(result.body.license).toMatchObject({ status: 'ACTIVE', createdAt: app.ctx.now() });
  expect(result.body.license?.id).not.toBe(forbidden.id);
  expect(result.body.license?.key).not.toBe(forbidden.key);
  expect(changes).toEqual({
    events: ['CUSTOMER_CREATED', 'LICENSE_CREATED'],
    rows: { license_customers: '+1', license_keys: '+1', licenses: '+1' },
  });
  const row = await app.instance.database.db
    .knex('licenses')
    .where({ id: String(result.body.license?.id) })
    .first();
  expect(row).toMatchObject({
    status: 'ACTIVE',
    tenant_id: app.ctx.tenantId,
    current_uses: 0,
    source: 'API',
    deleted_at: null,
  });
});
