import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** What a photo is sent for. */
export const PHOTO_PURPOSES = ['review', 'return', 'certificate'] as const;
export type PhotoPurpose = (typeof PHOTO_PURPOSES)[number];

/** Of photos that belong to something. */
export const FOR_GOOD = '9999-12-31T23:59:59.999Z';
const LONG_AGO = '1970-01-01T00:00:00.000Z';

/** Photos of customers: what the camera noted is gone, and nobody but their owner and staff sees them. */
export const customerPhotoRecord = record(
  'customer_photos',
  {
    id: column.id(ids.customerPhoto),
    customerId: column.id(ids.customer).references('customers'),
    purpose: column.choice(PHOTO_PURPOSES),
    largeKey: column.text(100, 1).local(),
    thumbnailKey: column.text(100, 1).local(),
    width: column.integer(1),
    height: column.integer(1),
    bytes: column.integer(1),
    /** Then its files go: some days after it was sent, unless it belongs to something; at once with its owner. */
    keptUntil: column.time().personal(() => LONG_AGO),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    whose: { ids: { customerId: 'customers' } },
    kept: 'until a time of their own: purge-photos removes them with their files',
  },
);
export type CustomerPhoto = ValuesOf<typeof customerPhotoRecord>;
