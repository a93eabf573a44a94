import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { leftOf } from './links.ts';
import type { DownloadGrant } from './record.ts';

const maybe = () => z.string().nullable();

/** A file of an order, as its buyer is told of it. */
export const DownloadView = later(() =>
  z
    .object({
      id: z.string(),
      order_item_id: z.string(),
      order_number: maybe(),
      file_name: z.string(),
      size: count().nullable().describe('Bytes'),
      version: maybe().describe('Of a release'),
      sha256: maybe().describe('Lower-case hex'),
      downloads_left: count().nullable().describe('null: as often as wanted'),
      expires_at: maybe().describe('null: never'),
    })
    .meta({ id: 'Download' }),
);
export type DownloadShown = z.output<typeof DownloadView>;

export const downloadView = (grant: DownloadGrant, orderNumber: string | null): DownloadShown => ({
  id: grant.id,
  order_item_id: grant.orderItemId,
  order_number: orderNumber,
  file_name: grant.fileName,
  size: grant.kind === 'upload' ? grant.bytes : null,
  version: null,
  sha256: grant.sha256,
  downloads_left: leftOf(grant),
  expires_at: grant.expiresAt,
});
