import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids as shopIds } from '#storefront/contract/ids.ts';
import { ids } from '../ids.ts';

/** Where the license of one unit stands (fulfilment section 5). */
export const MINT_STATUSES = ['pending', 'minted', 'failed', 'suspended', 'revoked', 'kept'] as const;
export type MintStatus = (typeof MINT_STATUSES)[number];
/** What it is to become; other than its status while the license service has not done it. */
export const WANTED = ['minted', 'suspended', 'revoked', 'kept'] as const;
export type Wanted = (typeof WANTED)[number];
export const MOST_ERROR = 1000;

/** The license of one unit of an order's line: a row for each, so that none is made twice. */
export const licenseMintRecord = record(
  'license_mints',
  {
    id: column.id(ids.licenseMint),
    orderId: column.id(shopIds.order).references('orders'),
    /** null: somebody made the license by hand and named the order. */
    orderItemId: column.id(shopIds.orderItem).references('order_items').nullable(),
    /** From 1; seats of a line are one license. */
    unitNo: column.integer(1),
    licenseId: column.text(30).nullable(),
    /** The license that this unit renews, instead of getting one of its own. */
    renews: column.text(30).nullable(),
    renewedDays: column.integer(1).nullable(),
    status: column.choice(MINT_STATUSES),
    wanted: column.choice(WANTED),
    /** Why it is to be suspended or revoked, as the license service is told. */
    reason: column.text(100).nullable(),
    /** The return or the payment that has suspended it: only the same one brings it back. */
    holdRef: column.text(30).nullable(),
    idempotencyKey: column.text(100, 1),
    error: column.text(MOST_ERROR).nullable(),
    attempts: column.integer(0),
    nextAttemptAt: column.time().nullable(),
    updatedAt: column.time(),
    createdAt: column.time(),
  },
  { natural: ['licenseId'], whose: 'who bought is named by the order, and the license by its customer' },
);
export type LicenseMint = ValuesOf<typeof licenseMintRecord>;
