import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { tenantColumn } from '#platform/tenants/index.ts';
import { normalEmail } from './schemas.ts';

/** Customers (licensing section 8.2). */
export const customerRecord = record(
  'license_customers',
  {
    id: column.id(ids.customer),
    tenantId: tenantColumn(),
    /** As it was written when the customer was made. */
    email: column.text(bounds.customerEmail, 3).personal((id) => `anon-${id}@invalid`),
    emailNorm: column
      .text(bounds.customerEmail, 3)
      .personal()
      .from(({ email }: { email: string }) => normalEmail(email)),
    name: column
      .text(bounds.customerName)
      .nullable()
      .personal(() => null),
    metadata: column.object(bounds.metadata).personal(() => ({})),
    anonymizedAt: column.time().nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['tenantId', 'emailNorm'], person: 'id' },
);

/** A customer as stored. */
export type Customer = ValuesOf<typeof customerRecord>;
