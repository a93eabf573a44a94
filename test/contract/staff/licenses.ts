import { addSeconds } from '#kernel/clock.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { licenseResource } from '#licensing/licenses/licenses/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';
import { mintedLicense, seedLicenses } from './minted.ts';

const DAY = 86_400;
let named = 0;

export const licenseSample: ResourceSample = {
  resource: licenseResource,
  rows: {
    'GET /licenses': 'licensing:read',
    'GET /licenses/export': 'licensing:read',
    'GET /licenses/{id}': 'licensing:read',
    'GET /licenses/{id}/events': 'licensing:read',
    'POST /licenses': 'licensing:write',
    'POST /licenses/bulk': 'licensing:write',
    'POST /licenses/find': 'licensing:read',
    'POST /licenses/reveal-keys': 'licensing:secrets',
    'POST /licenses/rows-made': 'licensing:read',
    'PATCH /licenses/{id}': 'licensing:write',
    'DELETE /licenses/{id}': 'licensing:write',
    'DELETE /licenses/{id}/purge': 'licensing:danger',
    'POST /licenses/{id}/suspend': 'licensing:write',
    'POST /licenses/{id}/resume': 'licensing:write',
    'POST /licenses/{id}/reinstate': 'licensing:write',
    'POST /licenses/{id}/revoke': 'licensing:write',
    'POST /licenses/{id}/renew': 'licensing:write',
    'POST /licenses/{id}/change-policy': 'licensing:write',
    'POST /licenses/{id}/transfer': 'licensing:write',
    'POST /licenses/{id}/restore': 'licensing:write',
    'POST /licenses/{id}/replace-key': 'licensing:secrets',
    'POST /licenses/{id}/reveal-key': 'licensing:secrets',
  },
  async make(ctx, operation) {
    const { id, key, product } = await mintedLicense(ctx);
    if (/[/](?:purge|restore)$/.test(operation)) await licenses.trash(ctx, id, null);
    if (/[/](?:resume|reinstate)$/.test(operation))
      await licenses.suspend(ctx, id, { reason: 'ADMIN', note: null });
    named += 1;
    const policy = await policies.create(ctx, { name: `of licenses ${named}` } as policies.PolicyCreateInput);
    return { id, key, product: product.id, policy: policy.id };
  },
  bodies: {
    'POST /licenses': ({ product }) => ({
      productId: product,
      customerEmail: 'new@x.test',
      note: 'by phone',
    }),
    'POST /licenses/find': ({ key }) => ({ key }),
    'POST /licenses/rows-made': () => ({ idempotencyKeys: ['row-1'] }),
    'POST /licenses/reveal-keys': ({ id }) => ({ ids: [id], reason: 'moves away' }),
    'PATCH /licenses/{id}': () => ({ notes: 'asked twice', note: 'ticket 7' }),
    'DELETE /licenses/{id}': () => ({ reason: 'a test' }),
    'DELETE /licenses/{id}/purge': () => ({}),
    'POST /licenses/{id}/suspend': () => ({ reason: 'unpaid' }),
    'POST /licenses/{id}/resume': () => ({}),
    'POST /licenses/{id}/reinstate': () => ({ note: 'paid' }),
    'POST /licenses/{id}/revoke': () => ({ reason: 'refunded' }),
    'POST /licenses/{id}/renew': () => ({ extendDays: 30 }),
    'POST /licenses/{id}/change-policy': ({ policy }) => ({ policyId: policy, expiry: 'KEEP' }),
    'POST /licenses/{id}/transfer': () => ({ customerEmail: 'other@x.test' }),
    'POST /licenses/{id}/restore': () => ({}),
    'POST /licenses/{id}/replace-key': () => ({ reason: 'leaked', overlapSeconds: 60 }),
    'POST /licenses/{id}/reveal-key': () => ({ reason: 'ticket 7' }),
  },
  async seed(ctx, n) {
    const other = await mintedLicense(ctx, { customerEmail: 'first@x.test' });
    const product = (await products.get(ctx, other.product.id)).id;
    const policy = await policies.create(ctx, { name: `seeded ${n}` } as policies.PolicyCreateInput);
    const soon = addSeconds(ctx.now(), 10 * DAY);
    // One more than is listed: it is in the trash.
    const made = await seedLicenses(ctx, n, (i) => ({
      ...(i % 3 === 0 && { product_id: product }),
      type: i % 2 === 0 ? 'SUBSCRIPTION' : 'PERPETUAL',
      tier: i % 5 === 0 ? 'BUSINESS' : 'PERSONAL',
      status: i % 4 === 0 ? 'REVOKED' : 'ACTIVE',
      valid_until: i % 2 === 0 ? soon : null,
      order_id: `order ${i % 10}`,
      source: i % 7 === 0 ? 'IMPORT' : 'API',
      metadata: JSON.stringify({ plan: i % 3 === 0 ? 'pro' : 'free' }),
      ...(i % 6 === 0 && { policy_id: policy.id }),
      created_at: i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
      ...(i === 0 && { deleted_at: ctx.now() }),
    }));
    await seedRows(ctx, 'license_activations', 3, (i) => ({
      id: ctx.newId(ids.activation),
      tenant_id: ctx.tenantId,
      license_id: i === 2 ? other.id : made.at(-1),
      kind: 'NODE',
      machine_id: `machine-0000${i}`,
      activated_at: ctx.now(),
      last_seen_at: i === 2 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
      created_at: ctx.now(),
    }));
    // A single one is in the trash.
    const crowded = made.slice(1).at(-1);
    for (const maxActivations of crowded ? [2, 1] : [])
      await licenses.update(ctx, crowded as string, { maxActivations });
    await seedRows(ctx, 'license_abuse_flags', 1, () => ({
      id: ctx.newId(ids.abuseFlag),
      tenant_id: ctx.tenantId,
      license_id: other.id,
      rule: 'MANUAL',
      status: 'OPEN',
      score: 1,
      evidence: '{}',
      created_at: ctx.now(),
      updated_at: ctx.now(),
    }));
  },
  filters: {
    status: 'REVOKED',
    type: 'SUBSCRIPTION',
    tier: 'BUSINESS',
    source: 'IMPORT',
    orderId: 'order 1',
    keyPrefix: 'SEED-1',
    metadata: 'plan=pro',
    expiring: '30d',
    expiringBefore: '2026-04-01T00:00:00Z',
    email: 'first@x.test',
    machineId: 'machine-00002',
    staleBefore: '2021-01-01T00:00:00Z',
    seenSince: '2021-01-01T00:00:00Z',
    neverActivated: 'true',
    overUsed: 'true',
    flagged: 'true',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
    deleted: 'true',
    q: 'first@x.test',
  },
  bulk: { action: 'suspend', params: { reason: 'unpaid' } },
};
