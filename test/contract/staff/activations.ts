import { ids } from '#licensing/contract/ids.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { activationResource } from '#licensing/licenses/machines/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';
import { mintedLicense, seedLicenses } from './minted.ts';

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
    const [license = ''] = await seedLicenses(ctx, 1, () => ({ max_activations: 1000 }));
    await seedRows(ctx, 'license_activations', n, (i) => ({
      id: ctx.newId(ids.activation),
      tenant_id: ctx.tenantId,
      license_id: license,
      kind: 'NODE',
      machine_id: `machine-${String(i).padStart(5, '0')}`,
      machine_name: `Desk ${i}`,
      os_name: i % 2 === 0 ? 'linux' : 'windows',
      app_version: i % 3 === 0 ? '2.0.0' : '1.0.0',
      activated_at: ctx.now(),
      last_seen_at: ctx.now(),
      created_at: ctx.now(),
      ...(i % 5 === 1 && { ended_at: ctx.now(), end_reason: 'CLIENT' }),
    }));
  },
  filters: { osName: 'linux', appVersion: '2.0.0', machineId: 'machine-00000' },
  bulk: { action: 'release' },
};
