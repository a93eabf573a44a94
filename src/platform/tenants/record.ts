import { type Column, column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';
import { idField } from '#kernel/service/fields.ts';
import { MOST_HOSTNAMES, TENANT_STATUSES } from './schemas.ts';

export const ids = defineIds({ tenant: 'ten' });

/** Tenants (licensing section 8.2). */
export const tenantRecord = record(
  'license_tenants',
  {
    id: column.id(ids.tenant),
    slug: column.text(63, 1),
    name: column.text(255, 1),
    hostnames: column.texts(253, MOST_HOSTNAMES),
    status: column.choice(TENANT_STATUSES),
    /** No foreign key: key formats name their tenant. */
    defaultKeyFormatId: column.form(idField()).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['slug'] },
);

/** A tenant as stored. */
export type Tenant = ValuesOf<typeof tenantRecord>;

/** The tenant that a row belongs to. */
export const tenantColumn = (): Column<string, true> => column.id(ids.tenant).references(tenantRecord.table);
