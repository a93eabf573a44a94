import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as policies from '#licensing/policies/index.ts';
import * as products from '#licensing/products/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';
import { insertLicense } from './stored-license.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

let made = 0;
const make = (more: Partial<policies.PolicyCreateInput> = {}): Promise<policies.Policy> => {
  made += 1;
  t.clock.advance(1);
  return policies.create(t.ctx, { name: `Policy ${made}`, ...more });
};
const makeProduct = (policyId?: string): Promise<products.Product> => {
  made += 1;
  return products.create(t.ctx, { name: 'Editor', slug: `editor-${made}`, policyId });
};
const policyOfLicense = async (id: string): Promise<string | null> =>
  (await t.database.db.knex('licenses').where({ id }).first('policy_id')).policy_id;

describe('create', () => {
  it('fills the defaults: no rule at all', async () => {
    const policy = await make({ name: 'plain' });
    expect(policy).toEqual({
      id: expect.stringMatching(/^pol_[0-9A-Z]{26}$/),
      tenantId: t.ctx.tenantId,
      name: 'plain',
      heartbeatInterval: null,
      heartbeatCullStrategy: 'NO_ACTION',
      defaultLeaseDuration: null,
      entitlements: null,
      gracePeriodSeconds: 0,
      defaultDurationDays: null,
      maxUses: null,
      maxVersion: null,
      maxDeactivations: null,
      deactivationWindowDays: null,
      offlineMaxTtlSeconds: null,
      trialReuse: 'FLAG',
      abuseAction: 'NONE',
      createdAt: t.ctx.now(),
      updatedAt: t.ctx.now(),
    });
    expect(await policies.get(t.ctx, 'plain')).toEqual(policy);
    expect(await policies.get(t.ctx, policy.id)).toEqual(policy);
    expect(await t.eventsOf(policy.id)).toEqual([{ type: 'POLICY_CREATED', data: { name: 'plain' } }]);
  });

  it('stores every field', async () => {
    const policy = await make({
      heartbeatInterval: 43_200,
      heartbeatCullStrategy: 'DEACTIVATE_DEAD',
      defaultLeaseDuration: 3600,
      entitlements: { export: true, seats: 5, tiers: ['a'] },
      gracePeriodSeconds: 86_400,
      defaultDurationDays: 365,
      maxUses: Number.MAX_SAFE_INTEGER,
      maxVersion: '2.4',
      maxDeactivations: 0,
      deactivationWindowDays: 30,
      offlineMaxTtlSeconds: 34_560_000,
      trialReuse: 'BLOCK',
      abuseAction: 'SUSPEND',
    });
    expect(await policies.find(t.ctx, policy.name)).toEqual(policy);
    expect([policy.maxUses, policy.maxDeactivations]).toEqual([Number.MAX_SAFE_INTEGER, 0]);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ heartbeatInterval: 0 }, 'heartbeatInterval'],
    [{ heartbeatCullStrategy: 'NO_ACTIONS' }, 'heartbeatCullStrategy'],
    [{ defaultLeaseDuration: 59 }, 'defaultLeaseDuration'],
    [{ maxVersion: 'two' }, 'maxVersion'],
    [{ entitlements: 'export' }, 'entitlements'],
    [{ maxUses: -1 }, 'maxUses'],
    [{ maxDeactivations: 3 }, 'deactivationWindowDays'],
    [{ deactivationWindowDays: 3 }, 'maxDeactivations'],
    [{ colour: 'red' }, ''],
  ])('refuses %j', async (wrong, path) => {
    const input = { name: 'wrong', ...wrong } as policies.PolicyCreateInput;
    expect(await faultsOf(policies.create(t.ctx, input))).toEqual([path]);
    expect(await policies.find(t.ctx, 'wrong')).toBeNull();
  });

  it('gives a name to one of two that ask at once', async () => {
    const outcomes = await Promise.allSettled([make({ name: 'twice' }), make({ name: 'twice' })]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect((await refusalOf(Promise.reject(refused[0]?.reason))).details).toEqual({
      reason: 'DUPLICATE',
      hint: 'appctl policy show twice',
    });
  });

  it('keeps tenants apart', async () => {
    const policy = await make({ name: 'ours' });
    const other = await t.otherTenant();
    await policies.create(other, { name: 'ours' });
    expect(await policies.find(other, policy.id)).toBeNull();
    expect(await codeOf(policies.get(other, policy.id))).toBe('NOT_FOUND');
    expect(await codeOf(policies.update(other, policy.id, { maxUses: 1 }))).toBe('NOT_FOUND');
    expect(await codeOf(policies.remove(other, policy.id))).toBe('NOT_FOUND');
    expect(await codeOf(policies.attach(other, policy.id, { product: 'x' }))).toBe('NOT_FOUND');
    expect((await policies.list(other, { page: 1, limit: 50 })).pagination.total).toBe(1);
  });
});

describe('update', () => {
  it('changes what is sent and clears by null', async () => {
    const policy = await make({ maxDeactivations: 3, deactivationWindowDays: 30, maxUses: 9 });
    t.clock.advance(60);
    const after = await policies.update(t.ctx, policy.name, {
      gracePeriodSeconds: 60,
      maxDeactivations: null,
      deactivationWindowDays: null,
    });
    expect(after).toEqual({
      ...policy,
      gracePeriodSeconds: 60,
      maxDeactivations: null,
      deactivationWindowDays: null,
      updatedAt: t.ctx.now(),
    });
    expect(await policies.get(t.ctx, policy.id)).toEqual(after);
    expect((await t.eventsOf(policy.id)).at(-1)?.type).toBe('POLICY_UPDATED');
  });

  it('writes nothing when nothing changes', async () => {
    const policy = await make({ maxUses: 5 });
    t.clock.advance(60);
    expect(await policies.update(t.ctx, policy.id, { maxUses: 5, name: undefined })).toEqual(policy);
    expect(await t.eventsOf(policy.id)).toHaveLength(1);
  });

  it('refuses rules that contradict each other after the merge', async () => {
    const policy = await make({ maxDeactivations: 3, deactivationWindowDays: 30 });
    expect(await faultsOf(policies.update(t.ctx, policy.id, { maxDeactivations: null }))).toEqual([
      'maxDeactivations',
    ]);
    const plain = await make();
    expect(await faultsOf(policies.update(t.ctx, plain.id, { maxDeactivations: 1 }))).toEqual([
      'deactivationWindowDays',
    ]);
    expect(await policies.get(t.ctx, plain.id)).toEqual(plain);
  });

  it('refuses a taken name and what is wrong', async () => {
    const [taken, policy] = [await make(), await make()];
    expect(await codeOf(policies.update(t.ctx, policy.id, { name: taken.name }))).toBe('CONFLICT');
    expect(await faultsOf(policies.update(t.ctx, policy.id, { gracePeriodSeconds: -1 }))).toEqual([
      'gracePeriodSeconds',
    ]);
    expect(await codeOf(policies.update(t.ctx, 'nowhere', { maxUses: 1 }))).toBe('NOT_FOUND');
  });
});

describe('attach and detach', () => {
  it('names the policy on a product and on licenses, and takes it off again', async () => {
    const [policy, product] = [await make(), await makeProduct()];
    const licenseIds = [
      await insertLicense(t, { productId: product.id }),
      await insertLicense(t, { productId: product.id }),
    ];
    t.clock.advance(1);
    await policies.attach(t.ctx, policy.name, {
      product: product.slug,
      licenseIds: [...licenseIds, ...licenseIds],
    });
    expect((await products.get(t.ctx, product.id)).policyId).toBe(policy.id);
    for (const id of licenseIds) expect(await policyOfLicense(id)).toBe(policy.id);
    expect((await t.eventsOf(policy.id)).at(-1)).toEqual({
      type: 'POLICY_ATTACHED',
      data: {
        policyId: policy.id,
        name: policy.name,
        productId: product.id,
        licenseIds: [...licenseIds].sort(),
      },
    });
    for (const id of licenseIds)
      expect((await t.eventsOf(id)).map((event) => event.type)).toEqual(['POLICY_ATTACHED']);

    t.clock.advance(1);
    await policies.detach(t.ctx, policy.id, { product: product.id, licenseIds: licenseIds.slice(0, 1) });
    expect((await products.get(t.ctx, product.id)).policyId).toBeNull();
    expect(await policyOfLicense(licenseIds[0] as string)).toBeNull();
    expect(await policyOfLicense(licenseIds[1] as string)).toBe(policy.id);
  });

  it('does nothing the second time', async () => {
    const [policy, product] = [await make(), await makeProduct()];
    await policies.attach(t.ctx, policy.id, { product: product.id });
    const before = await t.eventsOf(policy.id);
    t.clock.advance(1);
    await policies.attach(t.ctx, policy.id, { product: product.id });
    expect(await t.eventsOf(policy.id)).toEqual(before);
  });

  it('replaces another policy, but takes off only its own', async () => {
    const [first, second] = [await make(), await make()];
    const product = await makeProduct(first.id);
    await policies.detach(t.ctx, second.id, { product: product.id });
    expect((await products.get(t.ctx, product.id)).policyId).toBe(first.id);
    await policies.attach(t.ctx, second.id, { product: product.id });
    expect((await products.get(t.ctx, product.id)).policyId).toBe(second.id);
  });

  it('changes all targets or none', async () => {
    const [policy, product] = [await make(), await makeProduct()];
    const live = await insertLicense(t, { productId: product.id });
    const trashed = await insertLicense(t, { productId: product.id, deletedAt: t.ctx.now() });
    const error = await refusalOf(
      policies.attach(t.ctx, policy.id, { product: product.id, licenseIds: [live, trashed, 'lic_nowhere'] }),
    );
    expect([error.code, error.details]).toEqual(['NOT_FOUND', { licenseIds: [trashed, 'lic_nowhere'] }]);
    expect((await products.get(t.ctx, product.id)).policyId).toBeNull();
    expect(await policyOfLicense(live)).toBeNull();
  });

  it('refuses other tenants and missing targets', async () => {
    const policy = await make();
    const other = await t.otherTenant();
    const theirs = await products.create(other, { name: 'Theirs', slug: 'theirs' });
    expect(await codeOf(policies.attach(t.ctx, policy.id, { product: theirs.id }))).toBe('NOT_FOUND');
    expect(await codeOf(policies.attach(t.ctx, policy.id, { product: 'theirs' }))).toBe('NOT_FOUND');
    const foreign = await insertLicense({ ...t, ctx: other }, { productId: theirs.id });
    expect(await codeOf(policies.attach(t.ctx, policy.id, { licenseIds: [foreign] }))).toBe('NOT_FOUND');
    expect(await codeOf(policies.attach(t.ctx, policy.id, {}))).toBe('VALIDATION_ERROR');
    expect(await codeOf(policies.detach(t.ctx, policy.id, { licenseIds: [] }))).toBe('VALIDATION_ERROR');
    const many = Array.from({ length: 1001 }, (_, index) => `lic_${index}`);
    expect(await codeOf(policies.attach(t.ctx, policy.id, { licenseIds: many }))).toBe('VALIDATION_ERROR');
  });

  it('ends well when a product is attached and changed at once', async () => {
    const [policy, product] = [await make(), await makeProduct()];
    await Promise.all(
      [1, 2, 3, 4, 5].flatMap((n) => [
        policies.attach(t.ctx, policy.id, { product: product.id }),
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
    await policies.attach(t.ctx, policy.id, { licenseIds: [license] });
    const error = await refusalOf(policies.remove(t.ctx, policy.id));
    expect([error.code, error.status]).toEqual(['CONFLICT', 409]);
    expect(error.details).toMatchObject({ reason: 'IN_USE', products: 1, licenses: 1 });
    await policies.detach(t.ctx, policy.id, { product: product.id });
    expect(await codeOf(policies.remove(t.ctx, policy.id))).toBe('CONFLICT');
    await policies.detach(t.ctx, policy.id, { licenseIds: [license] });
    await policies.remove(t.ctx, policy.id);
    expect(await policies.find(t.ctx, policy.id)).toBeNull();
  });

  it('and attach at once leave no product with a policy that is gone', async () => {
    for (let round = 0; round < 5; round++) {
      const [policy, product] = [await make(), await makeProduct()];
      const [attached, removed] = await Promise.allSettled([
        policies.attach(t.ctx, policy.id, { product: product.id }),
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

it('lists by name, in pages, and looks for text', async () => {
  const own = await openTestContext();
  try {
    for (const name of ['Zulu', 'Office', 'Home_office']) await policies.create(own.ctx, { name });
    const names = async (q?: string, limit = 50) =>
      (await policies.list(own.ctx, { page: 1, limit, q })).items.map((policy) => policy.name);
    expect(await names()).toEqual(['Home_office', 'Office', 'Zulu']);
    expect(await names('OFFICE')).toEqual(['Home_office', 'Office']);
    expect(await names('_')).toEqual(['Home_office']);
    expect(await names(undefined, 1)).toEqual(['Home_office']);
    expect(await faultsOf(policies.list(own.ctx, { page: 0, limit: 50 }))).toEqual(['page']);
  } finally {
    await own.close();
  }
});
