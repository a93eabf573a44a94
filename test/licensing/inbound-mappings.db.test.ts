import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as integrations from '#licensing/purchases/integrations/integrations.ts';
import * as mappings from '#licensing/purchases/integrations/mappings/mappings.ts';
import type { MappingInputFields } from '#licensing/purchases/integrations/schemas.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';

let t: TestContext;
let configId: string;
let editor: products.Product;
beforeAll(async () => {
  t = await openTestContext();
  editor = await products.create(t.ctx, { name: 'Editor', slug: 'editor' });
  configId = (await integrations.create(t.ctx, { processor: 'GENERIC' })).config.id;
});
afterAll(() => t.close());

let made = 0;
const map = (more: Partial<MappingInputFields> = {}) => {
  made += 1;
  t.clock.advance(1);
  return mappings.mapProduct(t.ctx, configId, {
    externalProductId: `external-${made}`,
    productId: 'editor',
    ...more,
  });
};
const newConfig = async () => (await integrations.create(t.ctx, { processor: 'GENERIC' })).config.id;
const typesOf = async (id: string) => (await t.eventsOf(id)).map(({ type }) => type);

describe('mapProduct', () => {
  it('takes what is left out from the product', async () => {
    const mapping = await map({ externalProductId: 'price_1' });
    expect(mapping).toEqual({
      id: expect.stringMatching(/^map_[0-9A-Z]{26}$/),
      configId,
      externalProductId: 'price_1',
      productId: editor.id,
      productSlug: 'editor',
      licenseType: 'PERPETUAL',
      licenseTier: 'PERSONAL',
      maxActivations: 1,
      durationDays: null,
      policyId: null,
      quantityMode: 'LICENSES',
      onRefund: 'NONE',
      createdAt: t.ctx.now(),
      updatedAt: t.ctx.now(),
    });
  });

  it('takes days as a license of that type gets its end: from the policy, else the product, never for PERPETUAL (D47)', async () => {
    await policies.create(t.ctx, { name: 'month', defaultDurationDays: 30 });
    await products.create(t.ctx, {
      name: 'Plan',
      slug: 'plan',
      defaultLicenseType: 'SUBSCRIPTION',
      defaultMaxActivations: 3,
      defaultDurationDays: 365,
    });
    const days = async (more: Partial<MappingInputFields>) =>
      (await map({ productId: 'plan', ...more })).durationDays;
    expect(await map({ productId: 'plan' })).toMatchObject({
      licenseType: 'SUBSCRIPTION',
      maxActivations: 3,
      durationDays: 365,
    });
    expect(await days({ licenseType: 'TRIAL', policyId: 'month' })).toBe(30);
    expect(await days({ licenseType: 'PERPETUAL', policyId: 'month' })).toBeNull();
    expect(await days({ durationDays: null })).toBeNull();
    expect(await days({ durationDays: 7 })).toBe(7);
  });

  it.each([
    { externalProductId: 'x' },
    { externalProductId: '品'.repeat(255) },
    { externalProductId: '__proto__' },
    { maxActivations: 1 },
    { maxActivations: 1000 },
    { durationDays: 1 },
    { durationDays: 3660 },
    { licenseType: 'BETA', licenseTier: 'ENTERPRISE', quantityMode: 'SEATS', onRefund: 'REVOKE' },
    { onRefund: 'SUSPEND' },
  ] as const)('stores %j', async (more) => {
    const mapping = await map(more);
    expect(mapping).toMatchObject(more);
    expect(await mappings.mappingsOf(t.ctx, configId)).toContainEqual(mapping);
  });

  it.each([
    [{ externalProductId: '' }, 'externalProductId'],
    [{ externalProductId: undefined }, 'externalProductId'],
    [{ externalProductId: 'x'.repeat(256) }, 'externalProductId'],
    [{ externalProductId: 'a\0b' }, 'externalProductId'],
    [{ productId: undefined }, 'productId'],
    [{ licenseType: 'FLOATING' }, 'licenseType'],
    [{ licenseType: 'perpetual' }, 'licenseType'],
    [{ licenseTier: 'GOLD' }, 'licenseTier'],
    [{ maxActivations: 0 }, 'maxActivations'],
    [{ maxActivations: 1001 }, 'maxActivations'],
    [{ maxActivations: 1.5 }, 'maxActivations'],
    [{ maxActivations: '1' }, 'maxActivations'],
    [{ durationDays: 0 }, 'durationDays'],
    [{ durationDays: 3661 }, 'durationDays'],
    [{ quantityMode: 'EACH' }, 'quantityMode'],
    [{ onRefund: 'DELETE' }, 'onRefund'],
    [{ colour: 'red' }, ''],
  ])('refuses %j', async (wrong, path) => {
    const before = await typesOf(configId);
    expect(await faultsOf(map(wrong as Partial<MappingInputFields>))).toEqual([path]);
    expect(await typesOf(configId)).toEqual(before);
  });

  it('D115: refuses a product of floating licenses unless another type is named', async () => {
    await products.create(t.ctx, { name: 'Pool', slug: 'pool', defaultLicenseType: 'FLOATING' });
    expect(await faultsOf(map({ productId: 'pool' }))).toEqual(['licenseType']);
    expect(await map({ productId: 'pool', licenseType: 'TRIAL' })).toMatchObject({ licenseType: 'TRIAL' });
    const refusal = await refusalOf(map({ licenseType: 'FLOATING' as 'TRIAL' }));
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringContaining('cannot be FLOATING')]);
  });

  it('says which of configuration, product and policy is unknown', async () => {
    expect((await refusalOf(map({ productId: 'nothing' }))).message).toContain(
      'product nothing was not found',
    );
    expect((await refusalOf(map({ policyId: 'nothing' }))).message).toContain('policy nothing was not found');
    const unknown = mappings.mapProduct(t.ctx, 'inb_00000000000000000000000000', {
      externalProductId: 'x',
      productId: 'editor',
    });
    expect((await refusalOf(unknown)).message).toMatch(/integration inb_\w+ was not found/);
  });

  it('changes what is sent when the external id is mapped already, and writes nothing when nothing differs', async () => {
    const id = await newConfig();
    const input = { externalProductId: 'plan_1', productId: 'editor', durationDays: 30 };
    const first = await mappings.mapProduct(t.ctx, id, input);
    t.clock.advance(1);
    expect(await mappings.mapProduct(t.ctx, id, input)).toEqual(first);
    const changed = await mappings.mapProduct(t.ctx, id, {
      externalProductId: 'plan_1',
      licenseTier: 'BUSINESS',
      durationDays: null,
    });
    expect(changed).toEqual({
      ...first,
      licenseTier: 'BUSINESS',
      durationDays: null,
      updatedAt: t.ctx.now(),
    });
    expect(await t.eventsOf(id)).toEqual([
      { type: 'INBOUND_CONFIG_CREATED', data: expect.anything() },
      {
        type: 'PRODUCT_MAPPED',
        data: {
          mappingId: first.id,
          externalProductId: 'plan_1',
          productId: editor.id,
          product: 'editor',
        },
      },
      { type: 'PRODUCT_MAPPING_UPDATED', data: expect.objectContaining({ mappingId: first.id }) },
    ]);
    expect(await mappings.mappingsOf(t.ctx, id)).toEqual([changed]);
  });

  it('makes one mapping of an external id that is mapped many times at once', async () => {
    const id = await newConfig();
    const input = { externalProductId: 'same', productId: 'editor' };
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => mappings.mapProduct(t.ctx, id, input)),
    );
    expect(new Set(outcomes.map((mapping) => mapping.id)).size).toBe(1);
    expect(await typesOf(id)).toEqual(['INBOUND_CONFIG_CREATED', 'PRODUCT_MAPPED']);
  });

  it('tells external ids apart by case and by space', async () => {
    const id = await newConfig();
    for (const externalProductId of ['a', 'A', ' a'])
      await mappings.mapProduct(t.ctx, id, { externalProductId, productId: 'editor' });
    expect(await mappings.mappingsOf(t.ctx, id)).toHaveLength(3);
  });
});

describe('updateMapping', () => {
  it('changes a mapping by its id, its external id too', async () => {
    const mapping = await map();
    const after = await mappings.updateMapping(t.ctx, configId, mapping.id, {
      externalProductId: `${mapping.externalProductId}-new`,
      maxActivations: 5,
    });
    expect(after).toMatchObject({ id: mapping.id, maxActivations: 5 });
  });

  it('refuses an external id that another mapping has, and an unknown mapping', async () => {
    const [one, two] = [await map(), await map()];
    const refusal = await refusalOf(
      mappings.updateMapping(t.ctx, configId, one.id, { externalProductId: two.externalProductId }),
    );
    expect([refusal.code, refusal.details.reason]).toEqual(['CONFLICT', 'DUPLICATE']);
    const unknown = mappings.updateMapping(t.ctx, await newConfig(), one.id, { maxActivations: 5 });
    expect(await codeOf(unknown)).toBe('NOT_FOUND');
  });
});

describe('unmapProduct', () => {
  it('takes a mapping away by its id', async () => {
    const id = await newConfig();
    const input = { productId: 'editor' };
    const one = await mappings.mapProduct(t.ctx, id, { ...input, externalProductId: 'one' });
    const two = await mappings.mapProduct(t.ctx, id, { ...input, externalProductId: 'two' });
    expect(await mappings.unmapProduct(t.ctx, id, two.id)).toEqual(two);
    for (const gone of [two.id, 'one'])
      expect(await codeOf(mappings.unmapProduct(t.ctx, id, gone))).toBe('NOT_FOUND');
    expect(await mappings.mappingsOf(t.ctx, id)).toEqual([one]);
    expect((await typesOf(id)).filter((type) => type === 'PRODUCT_UNMAPPED')).toHaveLength(1);
  });
});

describe('another tenant', () => {
  it('can neither see nor change mappings, nor map to products and policies of this one', async () => {
    const ctx = await t.otherTenant();
    const mapping = await map();
    const input = { externalProductId: 'x', productId: 'editor' };
    for (const refused of [
      () => mappings.mapProduct(ctx, configId, input),
      () => mappings.updateMapping(ctx, configId, mapping.id, { maxActivations: 9 }),
      () => mappings.unmapProduct(ctx, configId, mapping.id),
    ])
      expect(await codeOf(refused())).toBe('NOT_FOUND');
    const own = (await integrations.create(ctx, { processor: 'GENERIC' })).config.id;
    const toForeign = mappings.mapProduct(ctx, own, { ...input, productId: editor.id });
    expect((await refusalOf(toForeign)).message).toContain('was not found');
    const policy = await policies.create(t.ctx, { name: 'of the first' });
    await products.create(ctx, { name: 'Editor', slug: 'editor' });
    const withForeign = mappings.mapProduct(ctx, own, { ...input, policyId: policy.id });
    expect((await refusalOf(withForeign)).message).toContain('was not found');
  });
});
