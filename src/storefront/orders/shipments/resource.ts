import type { Ctx } from '#kernel/context.ts';
import { action, adminResource } from '#platform/admin/index.ts';
import * as orders from '../orders/index.ts';
import { create } from './create.ts';
import { type ShipmentOf, shipmentRows } from './queries.ts';
import type { Shipment } from './record.ts';
import { Delivering, ShipmentCancelling, ShipmentCreate, ShipmentUpdate, Shipping } from './schemas.ts';
import { orderShipmentScreen, shipmentScreen } from './screen.ts';
import * as shipments from './shipments.ts';
import { ShipmentView, shipmentViews } from './view.ts';

const needs = { read: 'orders:read', write: 'orders:write' } as const;
const common = { needs: needs.write, where: 'row' } as const;

/** Makes a change and reads what it left in the same transaction: a rehearsal leaves nothing behind it. */
const shown = (ctx: Ctx, work: (ctx: Ctx) => Promise<Shipment>): Promise<ShipmentOf> =>
  ctx.tx(async (ctx) => {
    const { id } = await work(ctx);
    return (await shipmentRows.find(ctx, id)) as ShipmentOf;
  });

/** What leaves for orders, for staff (storefront-api.md, V). */
export const shipmentResource = adminResource<ShipmentOf, never, typeof ShipmentUpdate>({
  name: 'shop-shipments',
  labels: { one: 'shipment', many: 'shipments' },
  about: 'Shipments of orders',
  needs,
  screen: shipmentScreen,
  rows: shipmentRows,
  edit: {
    schema: ShipmentUpdate,
    hasVersion: false,
    summary: 'Change the carrier and tracking of a shipment',
    run: async (ctx, id, input) => shown(ctx, (ctx) => shipments.track(ctx, id, input)),
  },
  actions: {
    ship: action<ShipmentOf, typeof Shipping>({
      ...common,
      label: 'Ship',
      summary: 'Mark a shipment as shipped; after the last one the order is shipped',
      level: 'moderate',
      input: Shipping,
      when: ({ status }) => status === 'pending',
      run: async (ctx, id, { notify }) => shown(ctx, (ctx) => shipments.ship(ctx, id, notify)),
    }),
    deliver: action<ShipmentOf, typeof Delivering>({
      ...common,
      label: 'Deliver',
      summary: 'Mark a shipment as delivered; after the last one a paid order is completed',
      level: 'moderate',
      input: Delivering,
      when: ({ status }) => status === 'shipped',
      run: async (ctx, id, { deliveredAt }) => shown(ctx, (ctx) => shipments.deliver(ctx, id, deliveredAt)),
    }),
    cancel: action<ShipmentOf, typeof ShipmentCancelling>({
      ...common,
      label: 'Cancel',
      summary: 'Cancel an undelivered shipment; its units can be shipped again',
      level: 'moderate',
      input: ShipmentCancelling,
      when: ({ status }) => status === 'pending' || status === 'shipped',
      run: async (ctx, id, { reason }) => shown(ctx, (ctx) => shipments.cancel(ctx, id, reason ?? null)),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/shipments',
      item: 'shipment',
      view: ShipmentView,
      toViews: shipmentViews,
      without: ['bulk', 'export'],
    },
  ],
});

/** The shipments of one order, for staff. */
export const orderShipmentResource = adminResource<ShipmentOf, typeof ShipmentCreate>({
  name: 'shop-order-shipments',
  labels: { one: 'shipment', many: 'shipments' },
  about: 'Shipments of an order',
  needs,
  screen: orderShipmentScreen,
  rows: shipmentRows,
  create: {
    schema: ShipmentCreate,
    body: 'ShipmentCreateBody',
    summary: 'Create a shipment of an order',
    run: async (ctx, input, { named }) => shown(ctx, (ctx) => create(ctx, named.orderId ?? '', input)),
  },
  apis: [
    {
      surface: 'store',
      path: '/orders/{orderId}/shipments',
      itemsAt: '/shipments',
      parent: {
        name: 'orderId',
        filter: 'orderId',
        find: async (ctx, idOrNumber) => (await orders.get(ctx, idOrNumber)).id,
      },
      item: 'shipment',
      type: 'OrderShipment',
      view: ShipmentView,
      toViews: shipmentViews,
      paged: false,
      without: ['get', 'bulk', 'export'],
    },
  ],
});
