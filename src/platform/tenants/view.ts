import { storedView } from '#kernel/service/view.ts';
import { tenantRecord } from './record.ts';

/** A tenant as staff see it: as it is stored. */
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
