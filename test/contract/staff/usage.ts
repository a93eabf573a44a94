import { usageResource } from '#licensing/licenses/usage/resource.ts';
import type { ResourceSample } from '../../support/resource-sample.ts';
import { mintedLicense, seedLicenses } from './minted.ts';

export const usageSample: ResourceSample = {
  resource: usageResource,
  rows: {
    'GET /usage': 'licensing:read',
    'GET /usage/export': 'licensing:read',
    'GET /usage/{id}': 'licensing:read',
    'POST /usage/bulk': 'licensing:write',
    'POST /usage/{id}/reset': 'licensing:write',
    'POST /usage/{id}/raise-limit': 'licensing:write',
  },
  make: async (ctx) => ({ id: (await mintedLicense(ctx, { maxUses: 10 })).id }),
  bodies: {
    'POST /usage/{id}/reset': () => ({ note: 'a new year' }),
    'POST /usage/{id}/raise-limit': () => ({ maxUses: 20 }),
  },
  async seed(ctx, n) {
    await seedLicenses(ctx, n, (i) => ({ max_uses: 10, current_uses: i % 11 }));
  },
  idField: 'licenseId',
  filters: { level: 'WARNING' },
  bulk: { action: 'reset' },
};
