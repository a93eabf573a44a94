import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { AddressView, addressView } from '#storefront/contract/address.ts';
import {
  type Delivered,
  DownloadView,
  downloadView,
  OrderLicenseView,
  orderLicenseView,
} from './delivered.ts';
import type { GiftData } from './gift-data.ts';
import type { Parcel } from './queries.ts';
import {
  FULFILLMENT_STATUSES,
  ORDER_STATUSES,
  type Order,
  type OrderItem,
  PAYMENT_STATUSES,
  RETURN_STATUSES,
  SOURCES,
} from './record.ts';
import { settlement } from './standing.ts';
import type { WholeOrder } from './whole.ts';

const maybe = () => z.string().nullable();

const money = {
  subtotal_cents: count(),
  item_discount_cents: count(),
  order_discount_cents: count(),
  loyalty_discount_cents: count(),
  shipping_cents: count(),
  shipping_discount_cents: count(),
  tax_cents: count(),
  shipping_tax_cents: count(),
  total_cents: count(),
  gift_card_cents: count(),
  paid_cents: count(),
  refunded_cents: count(),
  due_cents: z.int().describe('Above 0: still to be paid; below 0: to be refunded'),
};

const summary = {
  id: z.string(),
  order_number: maybe(),
  status: z.enum(ORDER_STATUSES),
  payment_status: z.enum(PAYMENT_STATUSES),
  fulfillment_status: z.enum(FULFILLMENT_STATUSES),
  return_status: z.enum(RETURN_STATUSES),
  item_count: count(),
  total_cents: count(),
  currency: z.string(),
  placed_at: maybe(),
};

export const OrderSummaryView = z.object(summary).meta({ id: 'OrderSummary' });

export const GiftDataView = later(() =>
  z
    .object({
      amount_cents: count(),
      recipient_email: maybe(),
      recipient_name: maybe(),
      sender_name: maybe(),
      message: maybe(),
      send_at: maybe().describe('null: as soon as it is paid'),
    })
    .meta({ id: 'BoughtGiftCard' }),
);

export const giftDataView = (one: GiftData): z.output<typeof GiftDataView> => ({
  amount_cents: one.amountCents,
  recipient_email: one.recipientEmail,
  recipient_name: one.recipientName,
  sender_name: one.senderName,
  message: one.message,
  send_at: one.sendAt,
});

const ItemView = later(() =>
  z
    .object({
      id: z.string(),
      variant_id: maybe(),
      product_id: maybe(),
      product_slug: maybe(),
      sku: z.string(),
      title: z.string(),
      variant_title: maybe(),
      type: z.string(),
      unit_cents: count(),
      quantity: count(),
      subtotal_cents: count(),
      item_discount_cents: count(),
      order_discount_cents: count(),
      net_cents: count(),
      tax_cents: count(),
      total_cents: count(),
      tax_lines: z.array(z.object({ name: z.string(), ppm: count(), cents: count() })),
      requires_shipping: z.boolean(),
      gift_card: GiftDataView.nullable(),
      fulfilled_quantity: count(),
      cancelled_quantity: count(),
      return_requested_quantity: count(),
      returned_quantity: count(),
      refunded_quantity: count(),
      refunded_cents: count(),
    })
    .meta({ id: 'OrderItem' }),
);

const AdjustmentView = later(() =>
  z
    .object({
      order_item_id: z.string().nullable().describe('null: discount on shipping'),
      kind: z.enum(['promotion', 'loyalty', 'manual']),
      code: maybe(),
      label: z.string(),
      amount_cents: count(),
    })
    .meta({ id: 'OrderAdjustment' }),
);

export const ParcelView = later(() =>
  z
    .object({
      id: z.string(),
      shipment_number: z.string(),
      status: z.enum(['pending', 'shipped', 'delivered']),
      carrier: maybe(),
      service: maybe(),
      tracking_number: maybe(),
      tracking_url: maybe(),
      items: z.array(z.object({ order_item_id: z.string(), quantity: count() })),
      shipped_at: maybe(),
      delivered_at: maybe(),
    })
    .meta({ id: 'OrderShipment' }),
);

export { DownloadView, downloadView } from './delivered.ts';

/** The amounts of an order. */
export const TotalsView = z.object(money).meta({ id: 'OrderTotals' });
export const totalsView = (order: Order): z.output<typeof TotalsView> => moneyOf(order);

export const OrderView = later(() =>
  z
    .object({
      ...summary,
      email: z.string(),
      phone: maybe(),
      ...money,
      prices_include_tax: z.boolean(),
      totals: TotalsView,
      items: z.array(ItemView),
      adjustments: z.array(AdjustmentView),
      addresses: z.object({ shipping: AddressView.nullable(), billing: AddressView.nullable() }),
      shipping_method: maybe(),
      shipments: z.array(ParcelView).describe('Without canceled ones'),
      processor: maybe(),
      due_at: maybe(),
      invoice_number: maybe(),
      licenses: z.array(OrderLicenseView),
      downloads: z.array(DownloadView),
      source: z.enum(SOURCES),
      note: maybe(),
      gift_message: maybe(),
      paid_at: maybe(),
      cancelled_at: maybe(),
      cancel_reason: maybe(),
      completed_at: maybe(),
      created_at: z.string(),
      updated_at: z.string(),
      version: count(),
    })
    .meta({ id: 'Order' }),
);
export type OrderShown = z.output<typeof OrderView>;

export const orderSummaryView = (order: Order): z.output<typeof OrderSummaryView> => ({
  id: order.id,
  order_number: order.orderNumber,
  status: order.status,
  payment_status: order.paymentStatus,
  fulfillment_status: order.fulfillmentStatus,
  return_status: order.returnStatus,
  item_count: order.itemCount,
  total_cents: order.totalCents,
  currency: order.currency,
  placed_at: order.placedAt,
});

const itemView = (item: OrderItem): z.output<typeof ItemView> => ({
  id: item.id,
  variant_id: item.variantId,
  product_id: item.productId,
  product_slug: item.slug,
  sku: item.sku,
  title: item.title,
  variant_title: item.variantTitle,
  type: item.type,
  unit_cents: item.unitCents,
  quantity: item.quantity,
  subtotal_cents: item.subtotalCents,
  item_discount_cents: item.itemDiscountCents,
  order_discount_cents: item.orderDiscountCents,
  net_cents: item.netCents,
  tax_cents: item.taxCents,
  total_cents: item.totalCents,
  tax_lines: item.taxLines.map(({ name, ppm, cents }) => ({ name, ppm, cents })),
  requires_shipping: item.requiresShipping,
  gift_card: item.giftCardData && giftDataView(item.giftCardData),
  fulfilled_quantity: item.fulfilledQuantity,
  cancelled_quantity: item.cancelledQuantity,
  return_requested_quantity: item.returnRequestedQuantity,
  returned_quantity: item.returnedQuantity,
  refunded_quantity: item.refundedQuantity,
  refunded_cents: item.refundedCents,
});

const moneyOf = (order: Order) => ({
  subtotal_cents: order.subtotalCents,
  item_discount_cents: order.itemDiscountCents,
  order_discount_cents: order.orderDiscountCents,
  loyalty_discount_cents: order.loyaltyDiscountCents,
  shipping_cents: order.shippingCents,
  shipping_discount_cents: order.shippingDiscountCents,
  tax_cents: order.taxCents,
  shipping_tax_cents: order.shippingTaxCents,
  total_cents: order.totalCents,
  gift_card_cents: order.giftCardCents,
  paid_cents: order.paidCents,
  refunded_cents: order.refundedCents,
  due_cents: settlement(order),
});

export const parcelView = (one: Parcel): z.output<typeof ParcelView> => ({
  id: one.id,
  shipment_number: one.shipmentNumber,
  status: one.status,
  carrier: one.carrier,
  service: one.service,
  tracking_number: one.trackingNumber,
  tracking_url: one.trackingUrl,
  items: one.items.map(({ orderItemId, quantity }) => ({ order_item_id: orderItemId, quantity })),
  shipped_at: one.shippedAt,
  delivered_at: one.deliveredAt,
});

/** An order as its shopper and the receivers of webhooks get it. */
export const orderView = (
  { order, items, adjustments, shipping, billing, parcels, invoiceNumber }: WholeOrder,
  delivered: Delivered,
): OrderShown => ({
  ...orderSummaryView(order),
  email: order.email,
  phone: order.phone,
  ...moneyOf(order),
  totals: moneyOf(order),
  prices_include_tax: order.pricesIncludeTax,
  items: items.map(itemView),
  adjustments: adjustments.map(({ orderItemId, kind, code, label, amountCents }) => ({
    order_item_id: orderItemId,
    kind,
    code,
    label,
    amount_cents: amountCents,
  })),
  addresses: { shipping: shipping && addressView(shipping), billing: billing && addressView(billing) },
  shipping_method: order.shippingMethodName,
  shipments: parcels.map(parcelView),
  processor: order.processor,
  due_at: order.dueAt,
  invoice_number: invoiceNumber,
  licenses: delivered.licenses.map(orderLicenseView),
  downloads: delivered.files.map((one) => downloadView(one, order.orderNumber)),
  source: order.source,
  note: order.note,
  gift_message: order.giftMessage,
  paid_at: order.paidAt,
  cancelled_at: order.cancelledAt,
  cancel_reason: order.cancelReason,
  completed_at: order.completedAt,
  created_at: order.createdAt,
  updated_at: order.updatedAt,
  version: order.version,
});
