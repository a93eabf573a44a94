import { addSeconds } from '#kernel/clock.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as seats from '#licensing/licenses/seats/index.ts';
import { seatResource } from '#licensing/licenses/seats/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';
import { mintedLicense, seededProduct, seedLicenses } from './minted.ts';

export const seatSample: ResourceSample = {
  resource: seatResource,
  rows: {
    'GET /seats': 'licensing:read',
    'GET /seats/export': 'licensing:read',
    'GET /seats/{id}': 'licensing:read',
    'POST /seats/bulk': 'licensing:write',
    'POST /seats/{id}/release': 'licensing:write',
  },
  async make(ctx) {
    const { id, key } = await mintedLicense(ctx, { type: 'FLOATING' });
    await seats.checkout(ctx, { licenseKey: key, machineId: 'machine-0001' });
    const [machine] = await licenses.listActivations(ctx, id);
    return { id: String(machine?.id) };
  },
  bodies: { 'POST /seats/{id}/release': () => ({ note: 'went home' }) },
  async seed(ctx, n) {
    const product_id = await seededProduct(ctx);
    const held = await seedLicenses(ctx, 2, (i) => ({
      type: 'FLOATING',
      max_activations: 1000,
      ...(i === 1 && { product_id }),
    }));
    await seedRows(ctx, 'license_activations', n, (i) => ({
      id: ctx.newId(ids.activation),
      tenant_id: ctx.tenantId,
      license_id: held[i % 2],
      kind: 'LEASE',
      machine_id: `machine-${String(i).padStart(5, '0')}`,
      machine_name: `Desk ${i}`,
      activated_at: ctx.now(),
      last_seen_at: ctx.now(),
      lease_expires_at: addSeconds(ctx.now(), 3600 + i),
      created_at: ctx.now(),
    }));
  },
  filters: { productId: 'seeded', q: 'Desk 1' },
  bulk: { action: 'release' },
};
