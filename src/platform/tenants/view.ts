import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { licensesOf } from './queries.ts';
import { type Tenant, tenantRecord } from './record.ts';

/** A tenant as staff see it (cli.md section 3.6). */
export const TenantView = later(() =>
  z
    .object({
      ...storedView(tenantRecord, ['id', 'slug', 'name', 'hostnames', 'status', 'defaultKeyFormatId']).shape,
      /** Without trashed ones and canary keys. */
      licenses: count(),
      ...storedView(tenantRecord, ['createdAt', 'updatedAt']).shape,
    })
    .meta({ id: 'Tenant' }),
);
export type TenantView = z.output<typeof TenantView>;

/** Tenants with how many licenses each has. */
export async function tenantViews(tenants: readonly Tenant[], ctx: Ctx): Promise<TenantView[]> {
  const licenses = await licensesOf(
    ctx,
    tenants.map(({ id }) => id),
  );
  return tenants.map((tenant) => shownBy(TenantView, { ...tenant, licenses: licenses(tenant.id) }));
}
