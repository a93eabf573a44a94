import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import { keys } from '#licensing/catalog/keys/capability.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import { products as productsCapability } from '#licensing/catalog/products/capability.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';
import { insertLicense } from './stored-license.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext([productsCapability, keys]);
});
afterAll(() => t.close());

let made = 0;
const make = (more: Partial<products.ProductCreateInput> = {}): Promise<products.Product> => {
  made += 1;
  t.clock.advance(1);
  return products.create(t.ctx, { name: `Editor ${made}`, slug: `editor-${made}`, ...more });
};
const all = { page: 1, limit: 500 };

describe('create', () => {
  it('fills the defaults, stores what was sent, and tells the timeline', async () => {
    const product = await make({ name: 'Photo', slug: 'photo' });
    expect(product).toEqual({
      id: expect.stringMatching(/^prd_[0-9A-Z]{26}$/),
      tenantId: t.ctx.tenantId,
      name: 'Photo',
      slug: 'photo',
      type: 'DESKTOP',
      status: 'ACTIVE',
      licensingMode: 'STANDARD',
      defaultLicenseType: 'PERPETUAL',
      defaultMaxActivations: 1,
      defaultDurationDays: null,
      policyId: null,
      keyFormatId: null,
      prereleaseNeedsBeta: false,
      criticalUpdatesForExpired: false,
      statementRequired: false,
      metadata: {},
      createdAt: t.ctx.now(),
      updatedAt: t.ctx.now(),
    });
    expect(await products.get(t.ctx, product.id)).toEqual(product);
    expect(await products.get(t.ctx, 'photo')).toEqual(product);
    expect(await t.eventsOf(product.id)).toEqual([
      { type: 'PRODUCT_CREATED', data: { slug: 'photo', name: 'Photo', status: 'ACTIVE' } },
    ]);
  });

  it('stores every field', async () => {
    const product = await make({
      type: 'PLUGIN',
      status: 'DEPRECATED',
      licensingMode: 'HONOR_SYSTEM',
      defaultLicenseType: 'FLOATING',
      defaultMaxActivations: 1000,
      defaultDurationDays: 365,
      prereleaseNeedsBeta: true,
      criticalUpdatesForExpired: true,
      statementRequired: true,
      metadata: { team: 'blue', sizes: [1, 2] },
    });
    expect(await products.find(t.ctx, product.slug)).toEqual(product);
    expect(product.metadata).toEqual({ team: 'blue', sizes: [1, 2] });
    expect(product.statementRequired).toBe(true);
  });

  it('takes policy and key format by id or by name', async () => {
    const policy = await policies.create(t.ctx, { name: 'a name that is longer than any id of the house' });
    const format = await keyFormats.create(t.ctx, { name: 'wide', prefix: 'WIDE', segments: 6 });
    const byName = await make({ policyId: policy.name, keyFormatId: 'wide' });
    const byId = await make({ policyId: policy.id, keyFormatId: format.id });
    for (const product of [byName, byId]) {
      expect([product.policyId, product.keyFormatId]).toEqual([policy.id, format.id]);
    }
  });

  it('refuses a policy or format that the tenant has not', async () => {
    const foreign = await policies.create(await t.otherTenant(), { name: 'foreign' });
    expect(await codeOf(make({ policyId: 'nowhere' }))).toBe('NOT_FOUND');
    expect(await codeOf(make({ policyId: 'foreign' }))).toBe('NOT_FOUND');
    expect(await codeOf(make({ policyId: foreign.id }))).toBe('NOT_FOUND');
    expect(await codeOf(make({ keyFormatId: 'nowhere' }))).toBe('NOT_FOUND');
  });

  it.each([
    [{ slug: 'Photo' }, 'slug'],
    [{ slug: 'a_b' }, 'slug'],
    [{ slug: 'x'.repeat(64) }, 'slug'],
    [{ name: '' }, 'name'],
    [{ name: 'a\0b' }, 'name'],
    [{ policyId: 'a\0b' }, 'policyId'],
    [{ defaultMaxActivations: 0 }, 'defaultMaxActivations'],
    [{ defaultMaxActivations: 1.5 }, 'defaultMaxActivations'],
    [{ type: 'CLOUD' }, 'type'],
    [{ metadata: [] }, 'metadata'],
    [{ colour: 'red' }, ''],
  ])('refuses %j', async (wrong, path) => {
    const input = { name: 'Wrong', slug: 'wrong', ...wrong } as products.ProductCreateInput;
    expect(await faultsOf(products.create(t.ctx, input))).toEqual([path]);
    expect(await products.find(t.ctx, 'wrong')).toBeNull();
  });

  it('gives a slug to one of two that ask at once', async () => {
    const [one, other] = await Promise.allSettled([make({ slug: 'twice' }), make({ slug: 'twice' })]);
    const refused = [one, other].filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(1);
    const error = await refusalOf(Promise.reject(refused[0]?.reason));
    expect([error.code, error.status]).toEqual(['CONFLICT', 409]);
    expect(error.details).toEqual({ reason: 'DUPLICATE', hint: 'appctl product show twice' });
    expect((await products.list(t.ctx, { ...all, q: 'twice' })).items).toHaveLength(1);
  });

  it('keeps slugs of tenants apart', async () => {
    const product = await make({ slug: 'shared' });
    const other = await t.otherTenant();
    const foreign = await products.create(other, { name: 'Theirs', slug: 'shared' });
    expect((await products.get(other, 'shared')).id).toBe(foreign.id);
    expect((await products.get(t.ctx, 'shared')).id).toBe(product.id);
    expect(await products.find(t.ctx, foreign.id)).toBeNull();
    expect(await codeOf(products.get(other, product.id))).toBe('NOT_FOUND');
    expect(await codeOf(products.update(other, product.id, { name: 'Mine' }))).toBe('NOT_FOUND');
    expect(await codeOf(products.setStatus(other, product.id, 'DISCONTINUED'))).toBe('NOT_FOUND');
    expect(await codeOf(products.remove(other, product.id))).toBe('NOT_FOUND');
  });
});

describe('update', () => {
  it('changes what is sent, clears by null, and notes the difference', async () => {
    const policy = await policies.create(t.ctx, { name: 'for updates' });
    const product = await make({ defaultDurationDays: 30, policyId: policy.id });
    t.clock.advance(60);
    const after = await products.update(t.ctx, product.slug, {
      name: 'Renamed',
      defaultDurationDays: null,
      policyId: null,
    });
    expect(after).toEqual({
      ...product,
      name: 'Renamed',
      defaultDurationDays: null,
      policyId: null,
      updatedAt: t.ctx.now(),
    });
    expect(await products.get(t.ctx, product.id)).toEqual(after);
    expect((await t.eventsOf(product.id)).map((event) => event.type)).toEqual([
      'PRODUCT_CREATED',
      'PRODUCT_UPDATED',
    ]);
  });

  it('writes nothing when nothing changes', async () => {
    const product = await make({ metadata: { b: 1, a: 2 } });
    t.clock.advance(60);
    const after = await products.update(t.ctx, product.id, { name: product.name, metadata: { a: 2, b: 1 } });
    expect(after.updatedAt).toBe(product.updatedAt);
    expect(await t.eventsOf(product.id)).toHaveLength(1);
  });

  it('refuses a taken slug and leaves the product as it was', async () => {
    const [taken, product] = [await make(), await make()];
    expect(await codeOf(products.update(t.ctx, product.id, { name: 'New', slug: taken.slug }))).toBe(
      'CONFLICT',
    );
    expect(await products.get(t.ctx, product.id)).toEqual(product);
  });

  it('refuses what is wrong', async () => {
    const product = await make();
    expect(await faultsOf(products.update(t.ctx, product.id, { defaultMaxActivations: 1001 }))).toEqual([
      'defaultMaxActivations',
    ]);
    const nameless = { name: null } as unknown as products.ProductUpdateInput;
    expect(await faultsOf(products.update(t.ctx, product.id, nameless))).toEqual(['name']);
    expect(await codeOf(products.update(t.ctx, product.id, { policyId: 'nowhere' }))).toBe('NOT_FOUND');
    expect(await codeOf(products.update(t.ctx, 'nowhere', {}))).toBe('NOT_FOUND');
  });

  it('loses no change of two at once', async () => {
    const product = await make();
    await Promise.all([
      products.update(t.ctx, product.id, { name: 'Both' }),
      products.update(t.ctx, product.id, { defaultMaxActivations: 7 }),
    ]);
    expect(await products.get(t.ctx, product.id)).toMatchObject({ name: 'Both', defaultMaxActivations: 7 });
  });
});

describe('status', () => {
  it('moves freely and notes each move once', async () => {
    const product = await make();
    for (const status of ['DISCONTINUED', 'DEPRECATED', 'DEPRECATED', 'ACTIVE'] as const) {
      t.clock.advance(1);
      expect((await products.setStatus(t.ctx, product.slug, status)).status).toBe(status);
    }
    const noted = (await t.eventsOf(product.id)).map(({ type, data }) => [type, data.status]);
    expect(noted).toEqual([
      ['PRODUCT_CREATED', 'ACTIVE'],
      ['PRODUCT_STATUS_CHANGED', 'DISCONTINUED'],
      ['PRODUCT_STATUS_CHANGED', 'DEPRECATED'],
      ['PRODUCT_STATUS_CHANGED', 'ACTIVE'],
    ]);
  });

  it('refuses a status that does not exist', async () => {
    const product = await make();
    expect(await codeOf(products.setStatus(t.ctx, product.id, 'GONE' as 'ACTIVE'))).toBe('VALIDATION_ERROR');
  });
});

describe('remove', () => {
  it('deletes a product without licenses', async () => {
    const product = await make();
    await products.remove(t.ctx, product.slug);
    expect(await products.find(t.ctx, product.id)).toBeNull();
    expect(await codeOf(products.remove(t.ctx, product.id))).toBe('NOT_FOUND');
  });

  it('deletes its signing keys with it', async () => {
    const product = await make();
    const now = t.ctx.now();
    await t.database.transaction(async ({ knex }) => {
      await knex('license_signing_keys').insert({
        id: t.ctx.newId('sgk'),
        tenant_id: t.ctx.tenantId,
        product_id: product.id,
        role: 'ROOT',
        key_id: '0123456789abcdef',
        public_key: 'x',
        status: 'ACTIVE',
        created_at: now,
        updated_at: now,
      });
    });
    t.clock.advance(1);
    await products.remove(t.ctx, product.id);
    const deleted = (await t.eventsOf(product.id)).at(-1);
    expect(deleted?.type).toBe('PRODUCT_DELETED');
    expect(deleted?.data.signingKeyIds).toEqual(['0123456789abcdef']);
    expect(await t.ctx.db.knex('license_signing_keys').where({ product_id: product.id })).toEqual([]);
  });

  it('refuses while there is a license, also one in the trash', async () => {
    const product = await make();
    await insertLicense(t, { productId: product.id, deletedAt: t.ctx.now() });
    const error = await refusalOf(products.remove(t.ctx, product.id));
    expect(error.code).toBe('CONFLICT');
    expect(error.details).toEqual({
      reason: 'IN_USE',
      licenses: 1,
      hint: `appctl product discontinue ${product.slug}`,
    });
    expect(await products.find(t.ctx, product.id)).toEqual(product);
  });
});
