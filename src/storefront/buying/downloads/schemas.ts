import { z } from 'zod';
import { count, integer, optional } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { GrantOf } from './queries.ts';

/** Input that gives more of a file. */
export const Extending = later(() =>
  z.strictObject({ downloads: optional(integer(1, 100_000)), days: optional(integer(1, 36_500)) }),
);

/** What an order got. */
export const GivenView = later(() => z.object({ given: count() }).meta({ id: 'OrderDownloadsGiven' }));

/** A file of an order, as staff see it. */
export const StoreDownloadView = later(() =>
  z
    .object({
      id: z.string(),
      order_id: z.string(),
      order_number: z.string().nullable(),
      order_item_id: z.string(),
      digital_file_id: z.string().describe('The file may have been removed from its variant'),
      kind: z.enum(['upload', 'license_release']),
      file_name: z.string(),
      size: count().nullable(),
      sha256: z.string().nullable(),
      release_channel: z.string().nullable(),
      downloads_used: count(),
      max_downloads: count().nullable().describe('null: unlimited'),
      downloads_left: count().nullable(),
      expires_at: z.string().nullable(),
      revoked_at: z.string().nullable().describe('When access was revoked'),
      is_suspended: z.boolean().describe('Unavailable while a return or dispute of its order is open'),
      last_download_at: z.string().nullable(),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .meta({ id: 'OrderDownload' }),
);

export const storeDownloadView = (one: GrantOf): z.output<typeof StoreDownloadView> => ({
  id: one.id,
  order_id: one.orderId,
  order_number: one.orderNumber,
  order_item_id: one.orderItemId,
  digital_file_id: one.digitalFileId,
  kind: one.kind,
  file_name: one.fileName,
  size: one.kind === 'upload' ? one.bytes : null,
  sha256: one.sha256,
  release_channel: one.releaseChannel,
  downloads_used: one.downloadsUsed,
  max_downloads: one.maxDownloads,
  downloads_left: one.maxDownloads === null ? null : Math.max(0, one.maxDownloads - one.downloadsUsed),
  expires_at: one.expiresAt,
  revoked_at: one.revokedAt,
  is_suspended: one.isSuspended,
  last_download_at: one.lastDownloadAt,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});
