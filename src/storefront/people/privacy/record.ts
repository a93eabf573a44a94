import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** Who was erased, and whether orders on their way still name them (decision 0089). */
export const erasureRecord = record(
  'customer_erasures',
  {
    customerId: column.id(ids.customer),
    askedBy: column.choice(['customer', 'staff', 'system']),
    /** null: something of them is still needed, or may have been written at the same moment. */
    finishedAt: column.time().nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    key: ['customerId'],
    whose: 'it names nobody',
    kept: 'for good: it names nobody and proves that they were erased',
  },
);
export type Erasure = ValuesOf<typeof erasureRecord>;
