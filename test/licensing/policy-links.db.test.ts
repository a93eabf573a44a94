import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { codeOf, refusalOf } from '../support/refusal.ts';
import { insertLicense } from './stored-license.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

let made = 0;
const make = (): Promise<policies.Policy> => {
  made += 1;
  t.clock.advance(1);
  return policies.create(t.ctx, { name: `Policy ${made}` });
};
const makeProduct = (policyId?: string): Promise<products.Product> => {
  made += 1;
  return products.create(t.ctx, { name: 'Editor', slug: `editor-${made}`, policyId });
};
const policyOfLicense = async (id: string): Promise<string | null> =>
  (await t.database.db.knex('licenses').where({ id }).first('policy_id')).policy_id;

describe('attach and detach', () => {
  it('names the policy on a product and on licenses, and takes it off again', async () => {
    const [policy, product] = [await make(), await makeProduct()];
    const licenseIds = [
      await insertLicense(t, { productId: product.id }),
      await insertLicense(t, { productId: product.id }),
    ];
    t.clock.advance(1);
    await licenses.attachPolicy(t.ctx, policy.name, {
      productIds: [product.slug],
      licenseIds: [...licenseIds, ...licenseIds],
    });
    expect((await products.get(t.ctx, product.id)).policyId).toBe(policy.id);
    for (const id of licenseIds) expect(await policyOfLicense(id)).toBe(policy.id);
    expect((await t.eventsOf(policy.id)).at(-1)).toEqual({
      type: 'POLICY_ATTACHED',
      data: {
        policyId: policy.id,
        name: policy.name,
        productIds: [product.id],
        licenseIds: [...licenseIds].sort(),
      },
    });
    for (const id of licenseIds)
      expect((await t.eventsOf(id)).map((event) => event.type)).toEqual(['POLICY_ATTACHED']);

    t.clock.advance(1);
    await licenses.detachPolicy(t.ctx, policy.id, {
      productIds: [product.id],
      licenseIds: licenseIds.slice(0, 1),
    });
    expect((await products.get(t.ctx, product.id)).policyId).toBeNull();
    expect(await policyOfLicense(licenseIds[0] as string)).toBeNull();
    expect(await policyOfLicense(licenseIds[1] as string)).toBe(policy.id);
  });

  it('does nothing the second time', async () => {
    const [policy, product] = [await make(), await makeProduct()];
    await licenses.attachPolicy(t.ctx, policy.id, { productIds: [product.id] });
    const before = await t.eventsOf(policy.id);
    t.clock.advance(1);
    await licenses.attachPolicy(t.ctx, policy.id, { productIds: [product.id] });
    expect(await t.eventsOf(policy.id)).toEqual(before);
  });

  it('replaces another policy, but takes off only its own', async () => {
    const [first, second] = [await make(), await make()];
    const product = await makeProduct(first.id);
    await licenses.detachPolicy(t.ctx, second.id, { productIds: [product.id] });
    expect((await products.get(t.ctx, product.id)).policyId).toBe(first.id);
    await licenses.attachPolicy(t.ctx, second.id, { productIds: [product.id] });
    expect((await products.get(t.ctx, product.id)).policyId).toBe(second.id);
  });

  it('changes all targets or none', async () => {
    const [policy, product] = [await make(), await makeProduct()];
    const live = await insertLicense(t, { productId: product.id });
    const trashed = await insertLicense(t, { productId: product.id, deletedAt: t.ctx.now() });
    const error = await refusalOf(
      licenses.attachPolicy(t.ctx, policy.id, {
        productIds: [product.id],
        licenseIds: [live, trashed, 'lic_nowhere'],
      }),
    );
    expect([error.code, error.details]).toEqual(['NOT_FOUND', { licenseIds: [trashed, 'lic_nowhere'] }]);
    expect((await products.get(t.ctx, product.id)).policyId).toBeNull();
    expect(await policyOfLicense(live)).toBeNull();
  });

  it('refuses other tenants and missing targets', async () => {
    const policy = await make();
    const other = await t.otherTenant();
    const theirs = await products.create(other, { name: 'Theirs', slug: 'theirs' });
    expect(await codeOf(licenses.attachPolicy(t.ctx, policy.id, { productIds: [theirs.id] }))).toBe(
      'NOT_FOUND',
    );
    expect(await codeOf(licenses.attachPolicy(t.ctx, policy.id, { productIds: ['theirs'] }))).toBe(
      'NOT_FOUND',
    );
    const foreign = await insertLicense({ ...t, ctx: other }, { productId: theirs.id });
    expect(await codeOf(licenses.attachPolicy(t.ctx, policy.id, { licenseIds: [foreign] }))).toBe(
      'NOT_FOUND',
    );
    expect(await codeOf(licenses.attachPolicy(t.ctx, policy.id, {}))).toBe('VALIDATION_ERROR');
    expect(await codeOf(licenses.detachPolicy(t.ctx, policy.id, { licenseIds: [] }))).toBe(
      'VALIDATION_ERROR',
    );
    const many = Array.from({ length: 1001 }, (_, index) => `lic_${index}`);
    expect(await codeOf(licenses.attachPolicy(t.ctx, policy.id, { licenseIds: many }))).toBe(
      'VALIDATION_ERROR',
    );
  });

  it('ends well when a product is attached and changed at once', async () => {
    const [policy, product] = [await make(), await makeProduct()];
    await Promise.all(
      [1, 2, 3, 4, 5].flatMap((n) => [
        licenses.attachPolicy(t.ctx, policy.id, { productIds: [product.id] }),
        products.update(t.ctx, product.id, { defaultMaxActivations: n + 1, policyId: policy.id }),
      ]),
    );
    expect((await products.get(t.ctx, product.id)).policyId).toBe(policy.id);
  });
});

describe('remove', () => {
  it('deletes a policy that nothing names', async () => {
    const policy = await make();
    await policies.remove(t.ctx, policy.name);
    expect(await policies.find(t.ctx, policy.id)).toBeNull();
    expect(await codeOf(policies.remove(t.ctx, policy.id))).toBe('NOT_FOUND');
  });

  it('refuses while a product or a license names it', async () => {
    const policy = await make();
    const product = await makeProduct(policy.id);
    const license = await insertLicense(t, { productId: product.id });
    await licenses.attachPolicy(t.ctx, policy.id, { licenseIds: [license] });
    const error = await refusalOf(policies.remove(t.ctx, policy.id));
    expect([error.code, error.status]).toEqual(['CONFLICT', 409]);
    expect(error.details).toMatchObject({ reason: 'IN_USE', products: 1, licenses: 1 });
    await licenses.detachPolicy(t.ctx, policy.id, { productIds: [product.id] });
    expect(await codeOf(policies.remove(t.ctx, policy.id))).toBe('CONFLICT');
    await licenses.detachPolicy(t.ctx, policy.id, { licenseIds: [license] });
    await policies.remove(t.ctx, policy.id);
    expect(await policies.find(t.ctx, policy.id)).toBeNull();
  });

  it('and attach at once leave no product with a policy that is gone', async () => {
    for (let round = 0; round < 5; round++) {
      const [policy, product] = [await make(), await makeProduct()];
      const [attached, removed] = await Promise.allSettled([
        licenses.attachPolicy(t.ctx, policy.id, { productIds: [product.id] }),
        policies.remove(t.ctx, policy.id),
      ]);
      const { policyId } = await products.get(t.ctx, product.id);
      const refused = attached.status === 'rejected' ? 'NOT_FOUND' : 'CONFLICT';
      const loser = attached.status === 'rejected' ? attached : removed;
      expect(policyId).toBe(attached.status === 'rejected' ? null : policy.id);
      expect(loser.status === 'rejected' && (await codeOf(Promise.reject(loser.reason)))).toBe(refused);
    }
  });
});
