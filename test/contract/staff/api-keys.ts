import { addSeconds } from '#kernel/clock.ts';
import { API_KEY_SCOPES } from '#licensing/contract/enumerations.ts';
import { apiKeyResource } from '#licensing/insight/api-keys/resource.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';

export const apiKeySample: ResourceSample = {
  resource: apiKeyResource,
  rows: {
    'GET /api-keys': 'licensing:read',
    'GET /api-keys/export': 'licensing:read',
    'GET /api-keys/{id}': 'licensing:read',
    'POST /api-keys': 'licensing:secrets',
    'POST /api-keys/bulk': 'licensing:write',
    'PATCH /api-keys/{id}': 'licensing:write',
    'POST /api-keys/{id}/revoke': 'licensing:write',
    'POST /api-keys/{id}/rotate': 'licensing:secrets',
  },
  async make(ctx) {
    const input = { service: 'license', name: 'app', scope: 'READ_ONLY', scopes: ['READ_ONLY'] } as const;
    return { id: (await apiKeys.create(ctx, { ...input, scopes: ['READ_ONLY'] })).apiKey.id };
  },
  bodies: {
    'POST /api-keys': () => ({
      name: 'launch',
      scope: 'VALIDATE_ONLY',
      ipAllowlist: ['198.51.100.0/24'],
      allowedOrigins: ['https://app.example.com'],
      limits: { write: { max: 600, windowSeconds: 900 } },
      expiresAt: '2999-01-01T00:00:00Z',
    }),
    'PATCH /api-keys/{id}': () => ({ name: 'renamed', limits: null, expiresAt: null, note: 'clearer' }),
    'POST /api-keys/{id}/revoke': () => ({ reason: 'leaked' }),
    'POST /api-keys/{id}/rotate': () => ({ overlapSeconds: 3600 }),
  },
  seed: (ctx, n) =>
    seedRows(ctx, apiKeys.apiKeyRecord.table, n, (i) => {
      const id = ctx.newId('key');
      const scope = API_KEY_SCOPES[i % API_KEY_SCOPES.length] as (typeof API_KEY_SCOPES)[number];
      return apiKeys.apiKeyRecord.write(
        {
          id,
          service: 'license',
          tenantId: ctx.tenantId,
          // The first characters are what a spreadsheet would run.
          name: `${i % 7 === 0 ? '=' : ''}seeded ${i}`,
          prefix: 'alk_seed',
          scope,
          scopes: [scope],
          productIds: null,
          ipAllowlist: i % 3 === 0 ? ['192.0.2.1'] : [],
          allowedOrigins: [],
          limits: null,
          expiresAt:
            [null, '2999-01-01T00:00:00.000Z', LONG_AGO, addSeconds(ctx.now(), 864_000)][i % 4] ?? null,
          previousUntil: null,
          revokedAt: i % 5 === 0 ? LONG_AGO : null,
          lastUsedAt: i % 2 === 0 ? ctx.now() : null,
          createdAt: i % 2 === 0 ? LONG_AGO : ctx.now(),
          updatedAt: ctx.now(),
        },
        { keyHash: id, createdBy: null },
      );
    }),
  filters: {
    status: 'ACTIVE,EXPIRED',
    scope: 'READ_ONLY',
    unused: 'true',
    expiring: '30d',
    q: 'seeded 1',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
  },
  bulk: { action: 'revoke', params: { reason: 'leaked' } },
};
