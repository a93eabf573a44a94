import { storeScreen, type Tone } from '#platform/admin/index.ts';
import { ShipmentView } from './view.ts';

const tones: Readonly<Record<string, Tone>> = { pending: 'warn', shipped: 'info', delivered: 'ok' };
const toneOf = ({ status }: { readonly status: string }): Tone => tones[status] ?? 'muted';

/** What goes into it, as a file. */
const slip = {
  label: 'Packing slip',
  value: () => 'PDF',
  link: ({ orderId, id }: { readonly orderId: string; readonly id: string }) =>
    `/api/store/orders/${orderId}/packing-slip.pdf?shipment_id=${id}`,
} as const;

const shared = {
  columns: {
    shipmentNumber: { label: 'Number', kind: 'code', sort: 'number' },
    status: { kind: 'status', tone: toneOf },
    carrier: {},
    trackingNumber: { label: 'Tracking', kind: 'code' },
    createdAt: { label: 'Created', kind: 'date', sort: 'created' },
    shippedAt: { label: 'Shipped', kind: 'date' },
    deliveredAt: { label: 'Delivered', kind: 'date' },
    slip,
  },
  labels: {
    trackingNumber: 'Tracking number',
    trackingUrl: 'Tracking URL',
    shipNow: 'Mark as shipped now',
    notify: 'Notify the customer',
    deliveredAt: 'Delivered',
  },
  fields: {
    items: { kind: 'hidden' },
    trackingUrl: { help: 'Where the customer can track the parcel.' },
    shipNow: { help: 'The order counts as shipped with its last shipment.' },
    notify: { help: 'The customer gets an email with tracking when it ships, unless you choose no.' },
    deliveredAt: { help: 'Empty: now.' },
    reason: { help: 'For the history of the order.' },
  },
  empty: {
    text: 'A shipment is a parcel of an order. Create one on the order page with Ship.',
    docs: 'work-on-orders',
    cli: null,
  },
} as const;

/** All shipments in the panel. */
export const shipmentScreen = storeScreen(ShipmentView, {
  ...shared,
  path: '/store/shipments',
  words: 'parcel tracking delivery label',
  area: 'store',
  order: 32,
  title: ({ shipmentNumber }) => shipmentNumber,
  columns: {
    ...shared.columns,
    orderNumber: { label: 'Order', kind: 'code', link: ({ orderId }) => `/store/orders/${orderId}` },
  },
  facts: {
    status: { kind: 'status', tone: toneOf },
    orderNumber: { label: 'Order', kind: 'code', link: ({ orderId }) => `/store/orders/${orderId}` },
    carrier: {},
    service: {},
    trackingNumber: { label: 'Tracking', kind: 'code' },
    trackingUrl: { label: 'Tracking URL' },
    shippedAt: { label: 'Shipped', kind: 'date' },
    deliveredAt: { label: 'Delivered', kind: 'date' },
    cancelReason: { label: 'Reason for cancellation' },
    createdAt: { label: 'Created', kind: 'date' },
    slip,
    id: {},
  },
  views: [
    { name: 'To ship', query: 'status=pending' },
    { name: 'On the way', query: 'status=shipped' },
  ],
});

/** The shipments of an order in the panel; the form makes one of all that is left to ship. */
export const orderShipmentScreen = storeScreen(ShipmentView, {
  ...shared,
  path: '/store/orders/{orderId}/shipments',
  itemsAt: '/store/shipments',
  area: 'store',
  nav: null,
  title: ({ shipmentNumber }) => shipmentNumber,
  sections: {
    create: [
      {
        title: 'Shipment',
        help: 'It contains everything left to ship. To ship only some items, choose Ship on the order page.',
        fields: ['carrier', 'service', 'trackingNumber', 'trackingUrl', 'shipNow', 'notify', 'items'],
      },
    ],
  },
});
