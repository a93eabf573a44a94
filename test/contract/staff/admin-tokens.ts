import { addSeconds } from '#kernel/clock.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import { adminTokenResource } from '#platform/admin-tokens/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';

export const adminTokenSample: ResourceSample = {
  resource: adminTokenResource,
  rows: {
    'GET /admin-tokens': 'users:read',
    'GET /admin-tokens/export': 'users:read',
    'GET /admin-tokens/{id}': 'users:read',
    'POST /admin-tokens': 'users:write',
    'POST /admin-tokens/bulk': 'users:write',
    'POST /admin-tokens/{id}/revoke': 'users:write',
  },
  make: async (ctx) => ({
    id: (await adminTokens.create(ctx, { name: 'deploy', role: 'viewer' })).adminToken.id,
  }),
  bodies: {
    'POST /admin-tokens': () => ({ name: 'ci', role: 'viewer', expiresAt: '2999-01-01T00:00:00Z' }),
    'POST /admin-tokens/bulk': ({ id }) => ({ action: 'revoke', ids: [id] }),
    'POST /admin-tokens/{id}/revoke': () => ({ reason: 'leaked' }),
  },
  seed: (ctx, n) =>
    seedRows(ctx, adminTokens.adminTokenRecord.table, n, (i) => {
      const id = ctx.newId('adt');
      return adminTokens.adminTokenRecord.write(
        {
          id,
          // The first characters are what a spreadsheet would run.
          name: `${i % 7 === 0 ? '=' : ''}seeded ${i}`,
          role: i % 3 === 0 ? 'support' : 'viewer',
          tenantId: i % 2 === 0 ? ctx.tenantId : null,
          scopes: null,
          adminUserId: null,
          prefix: 'adm_seed',
          expiresAt:
            [null, '2999-01-01T00:00:00.000Z', LONG_AGO, addSeconds(ctx.now(), 864_000)][i % 4] ?? null,
          revokedAt: i % 5 === 0 ? LONG_AGO : null,
          lastUsedAt: i % 2 === 0 ? ctx.now() : null,
          createdAt: i % 2 === 0 ? LONG_AGO : ctx.now(),
        },
        {
          tokenHash: id,
          createdBy: null,
          updatedAt: ctx.now(),
          adminGeneration: null,
          passwordProvenAt: null,
        },
      );
    }),
  // Those of the whole installation open every tenant, and whoever asks brings one.
  everyTenant: true,
  filters: {
    status: 'REVOKED,EXPIRED',
    expiring: '30d',
    unused: 'true',
    role: 'support',
    isInstanceWide: 'true',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
    q: 'seeded 1',
  },
};
