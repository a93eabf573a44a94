import * as roles from '#platform/roles/index.ts';
import { roleResource } from '#platform/roles/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

let made = 0;
const name = () => `shift-${made++}`;

export const roleSample: ResourceSample = {
  resource: roleResource,
  rows: {
    'GET /roles': 'users:read',
    'GET /roles/export': 'users:read',
    'GET /roles/{id}': 'users:read',
    'POST /roles': 'roles:write',
    'PATCH /roles/{id}': 'roles:write',
    'DELETE /roles/{id}': 'roles:write',
  },
  make: async (ctx) => ({ id: (await roles.create(ctx, { name: name(), permissions: [] })).id }),
  bodies: {
    'POST /roles': () => ({ name: name(), permissions: ['licensing:read', 'users:read'] }),
    'PATCH /roles/{id}': () => ({ name: name(), permissions: ['audit:read'], note: 'less' }),
  },
  seed: (ctx, n) =>
    seedRows(ctx, 'roles', n, (i) => {
      const id = ctx.newId('rol');
      const at = i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now();
      return { id, name: `seeded-${i}-${id}`, is_system: false, created_at: at, updated_at: at };
    }),
  everyTenant: true,
  filters: {
    isSystem: 'true',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
    q: 'seeded-1',
  },
};
