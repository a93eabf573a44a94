import * as policies from '#licensing/catalog/policies/index.ts';
import { policyRecord } from '#licensing/catalog/policies/record.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { ABUSE_ACTIONS, CULL_STRATEGIES, TRIAL_REUSE_RULES } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { policyResource } from '#licensing/insight/policies/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

let made = 0;
const name = () => `policy ${made++}`;

export const policySample: ResourceSample = {
  resource: policyResource,
  rows: {
    'GET /policies': 'licensing:read',
    'GET /policies/export': 'licensing:read',
    'GET /policies/{id}': 'licensing:read',
    'POST /policies': 'licensing:write',
    'PATCH /policies/{id}': 'licensing:write',
    'DELETE /policies/{id}': 'licensing:write',
    'POST /policies/{id}/attach': 'licensing:write',
    'POST /policies/{id}/detach': 'licensing:write',
  },
  async make(ctx) {
    const product = await products.create(ctx, { name: 'Governed', slug: `governed-${made}` });
    return { id: (await policies.create(ctx, { name: name() })).id, product: product.id };
  },
  bodies: {
    'POST /policies': () => ({ name: name(), gracePeriodSeconds: 60, entitlements: { export: true } }),
    'PATCH /policies/{id}': () => ({ name: name(), maxUses: null, note: 'clearer' }),
    'POST /policies/{id}/attach': ({ product }) => ({ productIds: [product] }),
    'POST /policies/{id}/detach': ({ product }) => ({ productIds: [product], note: 'over' }),
  },
  async seed(ctx, n) {
    let first = '';
    await seedRows(ctx, policyRecord.table, n, (i) => {
      const id = ctx.newId(ids.policy);
      first ||= id;
      return policyRecord.write({
        id,
        tenantId: ctx.tenantId,
        // The first characters are what a spreadsheet would run.
        name: `${i % 7 === 0 ? '=' : ''}seeded ${i} ${id}`,
        heartbeatInterval: i % 3 === 0 ? null : 10 + (i % 50),
        heartbeatCullStrategy: CULL_STRATEGIES[
          i % CULL_STRATEGIES.length
        ] as (typeof CULL_STRATEGIES)[number],
        defaultLeaseDuration: null,
        entitlements: null,
        gracePeriodSeconds: i % 100,
        defaultDurationDays: null,
        maxUses: null,
        maxVersion: null,
        maxDeactivations: null,
        deactivationWindowDays: null,
        offlineMaxTtlSeconds: null,
        trialReuse: TRIAL_REUSE_RULES[i % TRIAL_REUSE_RULES.length] as (typeof TRIAL_REUSE_RULES)[number],
        abuseAction: ABUSE_ACTIONS[i % ABUSE_ACTIONS.length] as (typeof ABUSE_ACTIONS)[number],
        createdAt: i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
        updatedAt: ctx.now(),
      });
    });
    if (n > 0) await products.create(ctx, { name: 'Governed', slug: `governed-${made++}`, policyId: first });
  },
  everyProduct: true,
  filters: {
    q: '=SEED',
    heartbeatCullStrategy: 'NO_ACTION',
    trialReuse: 'FLAG',
    abuseAction: 'SUSPEND',
    linked: 'true',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
  },
};
