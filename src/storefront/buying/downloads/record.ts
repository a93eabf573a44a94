import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/**
 * A file that whoever bought a line of an order may download. It says what the file was when it was paid: what staff do
 * to the files of a variant later takes nothing from a buyer (decision 0099). Whose it is follows from its order.
 */
export const downloadGrantRecord = record(
  'download_grants',
  {
    id: column.id(ids.downloadGrant),
    orderId: column.id(ids.order).references('orders'),
    orderItemId: column.id(ids.orderItem).references('order_items'),
    /** The file may be gone from its variant. */
    digitalFileId: column.text(30, 1),
    /** `upload`: bytes that are stored here; `license_release`: the newest release of a channel. */
    kind: column.choice(['upload', 'license_release']),
    fileName: column.text(255, 1),
    storageKey: column.text(100).nullable(),
    bytes: column.integer(0),
    /** Lower-case hex. */
    sha256: column.text(64, 64).nullable(),
    releaseChannel: column.text(30).nullable(),
    downloadsUsed: column.integer(0),
    /** null: as often as the buyer wants. */
    maxDownloads: column.integer(1).nullable(),
    expiresAt: column.time().nullable(),
    revokedAt: column.time().nullable(),
    lastDownloadAt: column.time().nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    natural: ['orderItemId', 'digitalFileId'],
    whose: { ids: { orderId: 'orders' } },
    kept: 'as long as its order',
  },
);
export type DownloadGrant = ValuesOf<typeof downloadGrantRecord>;
