import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import {
  type DeliveredFile,
  type DeliveredLicense,
  type DeliveryProblem,
  orderFiles,
  orderLicenses,
} from '#storefront/contract/extensions.ts';
import type { Order, OrderItem } from './record.ts';

const maybe = () => z.string().nullable();

/** A file of an order, as its buyer is told of it. */
export const DownloadView = later(() =>
  z
    .object({
      id: z.string(),
      order_item_id: z.string(),
      order_number: maybe(),
      file_name: z.string(),
      size: count().nullable().describe('Bytes; null for a release, because the newest is downloaded'),
      version: maybe().describe('Of a release'),
      sha256: maybe().describe('Lowercase hex'),
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

/** A license of an order, as everybody is told of it who may see the order: never its key. */
export const OrderLicenseView = later(() =>
  z
    .object({
      id: z.string(),
      order_item_id: maybe(),
      product: z.string(),
      key_masked: z.string().describe('Start of the key'),
      status: z.string(),
      type: z.string(),
      tier: z.string(),
      valid_until: maybe().describe('null: without an end'),
      activations_used: count(),
      max_activations: count(),
    })
    .meta({ id: 'OrderLicense' }),
);

export const orderLicenseView = (one: DeliveredLicense): z.output<typeof OrderLicenseView> => ({
  id: one.id,
  order_item_id: one.orderItemId,
  product: one.product,
  key_masked: one.keyMasked,
  status: one.status,
  type: one.type,
  tier: one.tier,
  valid_until: one.validUntil,
  activations_used: one.activationsUsed,
  max_activations: one.maxActivations,
});

/** What is delivered with an order beside its parcels. */
export interface Delivered {
  readonly files: readonly DeliveredFile[];
  /** Without their keys. */
  readonly licenses: readonly DeliveredLicense[];
}

const NOTHING: Delivered = { files: [], licenses: [] };

/** What is delivered with an order. With one that is not paid nothing is, and it costs no question. */
export async function deliveredOf(ctx: Ctx, order: Order): Promise<Delivered> {
  if (order.paidAt === null) return NOTHING;
  const places = await ctx.filled(orderFiles);
  const files = (await Promise.all(places.map((one) => one(ctx, order.id)))).flat();
  const { licenses } = await licensesOf(ctx, order, { withKeys: false });
  return { files, licenses };
}

/** The licenses of a paid order, and what could not be made of them yet. */
export async function licensesOf(
  ctx: Ctx,
  order: Order,
  how: { readonly withKeys: boolean },
): Promise<{ licenses: readonly DeliveredLicense[]; problems: readonly DeliveryProblem[] }> {
  const found = await Promise.all((await ctx.filled(orderLicenses)).map((one) => one(ctx, order, how)));
  return {
    licenses: found.flatMap(({ licenses }) => licenses),
    problems: found.flatMap(({ problems }) => problems),
  };
}

/** Whether license keys come with the payment that is still waited for; a renewed license keeps its key. */
export const awaitsLicense = (
  { paidAt, status }: Pick<Order, 'paidAt' | 'status'>,
  items: readonly Pick<OrderItem, 'fulfilment'>[],
): boolean =>
  paidAt === null &&
  status !== 'cancelled' &&
  items.some(({ fulfilment }) => fulfilment?.kind === 'license' && typeof fulfilment.renews !== 'string');
