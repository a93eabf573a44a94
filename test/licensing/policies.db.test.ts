import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';

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
    expect(await codeOf(licenses.attachPolicy(other, policy.id, { productIds: ['x'] }))).toBe('NOT_FOUND');
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

  it('loses no change of two at once', async () => {
    const policy = await make();
    await Promise.all([
      policies.update(t.ctx, policy.id, { maxUses: 5 }),
      policies.update(t.ctx, policy.id, { gracePeriodSeconds: 60 }),
    ]);
    expect(await policies.get(t.ctx, policy.id)).toMatchObject({ maxUses: 5, gracePeriodSeconds: 60 });
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
