import type { z } from 'zod';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { type Tenant, tenantRecord } from './record.ts';

/** A tenant as staff see it, which is as it is stored (cli.md section 3.6). */
export const TenantView = storedView(tenantRecord, [
  'id',
  'slug',
  'name',
  'hostnames',
  'status',
  'defaultKeyFormatId',
  'createdAt',
  'updatedAt',
]).meta({ id: 'Tenant' });

export const tenantView = (tenant: Tenant): z.output<typeof TenantView> => shownBy(TenantView, tenant);
