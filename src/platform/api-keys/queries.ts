import { credentialFilters } from '#kernel/db/selection/credential-filters.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import type { Selection } from '#kernel/db/selection/spec.ts';
import { belonging, visibleByList } from '#kernel/db/visible.ts';
import { type ApiKey, apiKeyRecord, type Service } from './record.ts';

/**
 * API keys of a service as staff lists them.
 *
 * @param scopes that keys of the service may have
 */
export const apiKeyRowsOf = (service: Service, scopes: readonly [string, ...string[]]): Selection<ApiKey> =>
  selection<ApiKey>({
    from: ({ db }) => db.knex(apiKeyRecord.table),
    id: 'id',
    scope: (query, ctx, byId) => {
      belonging(ctx, query, { service, tenant_id: ctx.tenantId }, byId);
      visibleByList(ctx, query, 'product_ids');
    },
    columns: ['*'],
    read: apiKeyRecord.read,
    filters: {
      ...credentialFilters(),
      scope: filter.choice(scopes, { label: 'Scope', column: 'scope' }),
      created: filter.times({ label: 'Created', column: 'created_at' }),
    },
    search: { placeholder: 'Name, prefix or id', by: ['name', 'prefix', 'id'] },
    sorts: {
      name: 'name',
      created: 'created_at',
      expires: { column: 'expires_at', isNullable: true },
      lastUsed: { column: 'last_used_at', isNullable: true },
    },
    initial: 'created',
  });
