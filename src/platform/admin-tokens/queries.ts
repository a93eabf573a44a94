import { credentialFilters } from '#kernel/db/selection/credential-filters.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { adminTokenRecord } from './record.ts';
import { opening } from './repository.ts';
import { type AdminTokenView, adminTokenView } from './view.ts';

/** Tokens that open the ctx's tenant, as staff lists them. */
export const adminTokenRows = selection<AdminTokenView, { tenant_slug: string | null }>({
  from: ({ db }) => db.knex(`${adminTokenRecord.table} as t`),
  joins: { tenant: (query) => void query.leftJoin('license_tenants as l', 'l.id', 't.tenant_id') },
  id: 't.id',
  scope: (query, ctx) => void opening(ctx, query),
  columns: ['t.*', 'l.slug as tenant_slug'],
  shows: ['tenant'],
  read: (row) => adminTokenView(adminTokenRecord.read(row), row.tenant_slug),
  filters: {
    ...credentialFilters('t.'),
    role: filter.text({ label: 'Role', column: 't.role' }),
    isInstanceWide: filter.flag({
      label: 'Every tenant',
      column: (query, isWide) =>
        void (isWide ? query.whereNull('t.tenant_id') : query.whereNotNull('t.tenant_id')),
    }),
    created: filter.times({ label: 'Created', column: 't.created_at' }),
  },
  search: { placeholder: 'Name, prefix or id', by: ['t.name', 't.prefix', 't.id'] },
  sorts: {
    name: 't.name',
    created: 't.created_at',
    expires: { column: 't.expires_at', isNullable: true },
    lastUsed: { column: 't.last_used_at', isNullable: true },
  },
  initial: 'created',
});
