import { addSeconds } from '#kernel/clock.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { activationResource } from '#licensing/licenses/machines/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';
import { mintedLicense, seededProduct, seedLicenses } from './minted.ts';

export const activationSample: ResourceSample = {
  resource: activationResource,
  rows: {
    'GET /activations': 'licensing:read',
    'GET /activations/export': 'licensing:read',
    'GET /activations/{id}': 'licensing:read',
    'DELETE /activations/{id}': 'licensing:write',
    'POST /activations/bulk': 'licensing:write',
    'POST /activations/{id}/release': 'licensing:write',
  },
  async make(ctx) {
    const { id, key } = await mintedLicense(ctx);
    await machines.activate(ctx, { licenseKey: key, machineId: 'machine-0001' });
    const [machine] = await licenses.listActivations(ctx, id);
    return { id: String(machine?.id) };
  },
  bodies: {
    'DELETE /activations/{id}': () => ({ reason: 'sold' }),
    'POST /activations/{id}/release': () => ({ note: 'by phone' }),
  },
  async seed(ctx, n) {
    const product_id = await seededProduct(ctx);
    const { id: customer_id } = await customers.reuse(ctx, { email: 'seeded@x.test', name: undefined });
    const held = await seedLicenses(ctx, 2, (i) => ({
      max_activations: 1000,
      ...(i === 1 && { product_id, customer_id }),
    }));
    const ended = { ended_at: ctx.now(), end_reason: 'CLIENT' };
    // The last of them have ended: a list shows them when it is asked to.
    await seedRows(ctx, 'license_activations', n + 5, (i) => ({
      id: ctx.newId(ids.activation),
      tenant_id: ctx.tenantId,
      license_id: held[i % 2],
      kind: i % 4 === 0 ? 'LEASE' : 'NODE',
      ...(i % 4 === 0 && { lease_expires_at: addSeconds(ctx.now(), 3600) }),
      machine_id: `machine-${String(i).padStart(5, '0')}`,
      machine_name: `Desk ${i}`,
      os_name: i % 2 === 0 ? 'linux' : 'windows',
      app_version: i % 3 === 0 ? '2.0.0' : '1.0.0',
      activated_at: i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
      last_seen_at: i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
      created_at: ctx.now(),
      ...(i >= n && ended),
    }));
  },
  filters: {
    productId: 'seeded',
    kind: 'LEASE',
    osName: 'linux',
    appVersion: '2.0.0',
    machineId: 'machine-00000',
    email: 'seeded@x.test',
    staleBefore: '2021-01-01T00:00:00Z',
    activatedFrom: '2021-01-01T00:00:00Z',
    activatedTo: '2021-01-01T00:00:00Z',
    ended: 'true',
    q: 'Desk 1',
  },
  bulk: { action: 'release' },
};
