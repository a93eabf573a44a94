import type { Ctx } from '#kernel/context.ts';
import { countsBy } from '#kernel/db/counts.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { type Tenant, tenantRecord } from './record.ts';
import { TENANT_STATUSES } from './schemas.ts';

/** Tenants of the installation; who is confined to some sees those. */
export const tenantRows = selection<Tenant>({
  from: ({ db }) => db.knex(tenantRecord.table),
  id: 'id',
  scope: (query, ctx) => void visibleTo(ctx, query, { tenant: 'id' }),
  columns: ['*'],
  read: tenantRecord.read,
  filters: {
    status: filter.choice(TENANT_STATUSES, { label: 'State', column: 'status' }),
    created: filter.times({ label: 'Created', column: 'created_at' }),
  },
  search: { placeholder: 'Name or slug', by: ['name', 'slug'] },
  sorts: { name: 'name', slug: 'slug', status: 'status', created: 'created_at', updated: 'updated_at' },
  initial: 'name',
});

/** How many licenses that the actor sees each tenant of a page has, without trashed ones and canary keys. */
export const licensesOf = (ctx: Ctx, ids: readonly string[]): Promise<(id: string) => number> => {
  const held = ctx.db.knex('licenses').where({ deleted_at: null, honeypot: false });
  return countsBy(visibleTo(ctx, held, { license_product: 'product_id' }), 'tenant_id', ids);
};
