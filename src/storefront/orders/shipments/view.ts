import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { ShipmentOf } from './queries.ts';
import { SHIPMENT_STATES } from './record.ts';
import { shipmentItemsOf } from './repository.ts';

const maybe = () => z.string().nullable();

/** A parcel of an order. */
export const ShipmentView = later(() =>
  z
    .object({
      id: z.string(),
      shipment_number: z.string(),
      order_id: z.string(),
      order_number: maybe(),
      status: z.enum(SHIPMENT_STATES),
      carrier: maybe(),
      service: maybe(),
      tracking_number: maybe(),
      tracking_url: maybe(),
      cancel_reason: maybe(),
      items: z.array(z.object({ order_item_id: z.string(), quantity: count() })),
      shipped_at: maybe(),
      delivered_at: maybe(),
      cancelled_at: maybe(),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .meta({ id: 'Shipment' }),
);

/** Shipments with what is in them. */
export async function shipmentViews(
  rows: readonly ShipmentOf[],
  ctx: Ctx,
): Promise<z.output<typeof ShipmentView>[]> {
  const items = await shipmentItemsOf(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map((one) => ({
    id: one.id,
    shipment_number: one.shipmentNumber,
    order_id: one.orderId,
    order_number: one.orderNumber,
    status: one.status,
    carrier: one.carrier,
    service: one.service,
    tracking_number: one.trackingNumber,
    tracking_url: one.trackingUrl,
    cancel_reason: one.cancelReason,
    items: items
      .filter(({ shipmentId }) => shipmentId === one.id)
      .map(({ orderItemId, quantity }) => ({ order_item_id: orderItemId, quantity })),
    shipped_at: one.shippedAt,
    delivered_at: one.deliveredAt,
    cancelled_at: one.cancelledAt,
    created_at: one.createdAt,
    updated_at: one.updatedAt,
  }));
}
