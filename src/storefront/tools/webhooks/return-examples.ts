import type { ReturnShown } from '#storefront/orders/returns/view.ts';

const AT = '2026-11-20T10:00:00.000Z';

/** A return that was just asked for. */
export const comingBack: ReturnShown = {
  id: 'ret_01KAFZ8RAV2A8B5D9H1K3M6N7P',
  return_number: 'R1001',
  order_id: 'ord_01KAFZ8R8S0Y6Z3B7F9H1J4K5M',
  order_number: '1001',
  status: 'requested',
  resolution: 'refund',
  outcome: null,
  currency: 'USD',
  items: [
    {
      id: 'rti_01KAFZ8RBW3B9C6E0J2M4N7P8Q',
      order_item_id: 'oit_01KAFZ8R7R9X5Y2A6E8G0H3J4K',
      sku: 'MUG-01',
      title: 'Stoneware mug',
      variant_title: null,
      quantity: 1,
      approved_quantity: 0,
      received_quantity: 0,
      reason_id: 'rrs_00000000000000000000000005',
      reason: 'I changed my mind',
      note: null,
      media_ids: [],
      condition: null,
      restock: false,
      refund_cents: 1900,
    },
  ],
  exchange_variant_id: null,
  exchange_order_number: null,
  instructions: null,
  label_url: null,
  has_label: false,
  carrier: null,
  tracking_number: null,
  end_reason: null,
  restocking_fee_cents: 0,
  return_by: null,
  requested_at: AT,
  approved_at: null,
  received_at: null,
  closed_at: null,
  refund: null,
  refunds: [],
  messages: [],
  created_at: AT,
  updated_at: AT,
};
/** The same, approved. */
export const approvedBack: ReturnShown = {
  ...comingBack,
  status: 'approved',
  items: comingBack.items.map((item) => ({ ...item, approved_quantity: 1 })),
  instructions: 'Pack it well.',
  return_by: AT,
  approved_at: AT,
};
/** And when it has arrived. */
export const receivedBack: ReturnShown = {
  ...approvedBack,
  status: 'received',
  items: approvedBack.items.map((item) => ({
    ...item,
    received_quantity: 1,
    condition: 'new',
    restock: true,
  })),
  received_at: AT,
};
