import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

export const SHIPMENT_STATES = ['pending', 'shipped', 'delivered', 'cancelled'] as const;

/** A parcel of an order (storefront-domain 4.5). */
export const shipmentRecord = record('shipments', {
  id: column.id(ids.shipment),
  orderId: column.id(ids.order).references('orders'),
  /** `<order_number>-<n>`. */
  shipmentNumber: column.text(50, 1),
  status: column.choice(SHIPMENT_STATES),
  carrier: column.text(100).nullable(),
  service: column.text(100).nullable(),
  trackingNumber: column.text(200).nullable(),
  trackingUrl: column.text(2000).nullable(),
  cancelReason: column.text(500).nullable(),
  shippedAt: column.time().nullable(),
  deliveredAt: column.time().nullable(),
  cancelledAt: column.time().nullable(),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type Shipment = ValuesOf<typeof shipmentRecord>;

/** Units of a line of the order that are in it. */
export const shipmentItemRecord = record(
  'shipment_items',
  {
    shipmentId: column.id(ids.shipment).references('shipments'),
    orderItemId: column.id(ids.orderItem).references('order_items'),
    quantity: column.integer(1, 999),
    createdAt: column.time(),
  },
  { key: ['shipmentId', 'orderItemId'] },
);
export type ShipmentItem = ValuesOf<typeof shipmentItemRecord>;
