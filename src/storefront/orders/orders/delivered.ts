import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { type DeliveredFile, orderFiles } from '#storefront/contract/extensions.ts';
import type { Order } from './record.ts';

const maybe = () => z.string().nullable();

/** A file of an order, as its buyer is told of it. */
export const DownloadView = later(() =>
  z
    .object({
      id: z.string(),
      order_item_id: z.string(),
      order_number: maybe(),
      file_name: z.string(),
      size: count().nullable().describe('Bytes; null for a release, of which the newest is fetched'),
      version: maybe().describe('Of a release'),
      sha256: maybe().describe('Lower-case hex'),
      downloads_used: count(),
      downloads_left: count().nullable().describe('null: as often as wanted'),
      expires_at: maybe().describe('null: never'),
    })
    .meta({ id: 'Download' }),
);
export type DownloadShown = z.output<typeof DownloadView>;

export const downloadView = (one: DeliveredFile, orderNumber: string | null): DownloadShown => ({
  id: one.id,
  order_item_id: one.orderItemId,
  order_number: orderNumber,
  file_name: one.fileName,
  size: one.bytes,
  version: null,
  sha256: one.sha256,
  downloads_used: one.downloadsUsed,
  downloads_left: one.maxDownloads === null ? null : Math.max(0, one.maxDownloads - one.downloadsUsed),
  expires_at: one.expiresAt,
});

/** The files of an order. One that is not paid has none, and costs no question. */
export async function filesOf(ctx: Ctx, { id, paidAt }: Order): Promise<DeliveredFile[]> {
  if (paidAt === null) return [];
  const places = await ctx.filled(orderFiles);
  return (await Promise.all(places.map((one) => one(ctx, id)))).flat();
}
