import { storedView } from '#kernel/service/view.ts';
import { tenantRecord } from './record.ts';

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
