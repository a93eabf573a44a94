import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as orders from '../orders/index.ts';
import type { Shipment } from './record.ts';
import * as repo from './repository.ts';
import { shipLocked, type Tracking } from './shipments.ts';

/** What is put into a parcel. */
export interface ShipmentInput extends Tracking {
  /** All that is left to ship when absent. */
  readonly items?: readonly { readonly orderItemId: string; readonly quantity: number }[] | undefined;
  /** It leaves at once. */
  readonly shipNow?: boolean | undefined;
  /** The customer is written to when it leaves at once; so it is when absent. */
  readonly notify?: boolean | undefined;
}

/**
 * Makes a parcel of an order that is processing. Its units are taken at once, each by a conditional UPDATE, so that two
 * parcels never have the same (storefront-domain 6.4).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION in another state of the order, and for more units
 *   than are left to ship
 */
export const create = (ctx: Ctx, idOrNumber: string, input: ShipmentInput): Promise<Shipment> =>
  ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, idOrNumber);
    orders.requireAllowed(order, 'ship');
    const wanted = wantedOf(order, await orders.itemsOf(ctx, order.id), input.items);
    for (const [at, { orderItemId, quantity }] of wanted.entries())
      if (!(await orders.takeFulfilled(ctx, order.id, orderItemId, quantity)))
        throw invalidField(
          `items.${at}.quantity`,
          `is more than is left to ship: ${quantity} were requested`,
        );
    const shipment = await written(ctx, order, wanted, input);
    const fulfillmentStatus = orders.fulfillmentStatusOf(await orders.itemsOf(ctx, order.id));
    const data = { shipment_id: shipment.id, number: shipment.shipmentNumber, status: 'pending' };
    await orders.note(ctx, order.id, { type: 'shipment', data });
    if (input.shipNow) return shipLocked(ctx, order, shipment, input.notify);
    const after = await orders.write(ctx, order, { fulfillmentStatus });
    await orders.tell(ctx, 'order.updated', after, order);
    return shipment;
  });

type Wanted = { readonly orderItemId: string; readonly quantity: number };

function wantedOf(
  order: orders.Order,
  items: readonly orders.OrderItem[],
  asked: ShipmentInput['items'],
): readonly Wanted[] {
  if (asked === undefined) return restOf(order, items);
  const known = new Map(items.map((one) => [one.id, one]));
  const seen = new Set<string>();
  for (const [at, { orderItemId }] of asked.entries()) {
    const item = known.get(orderItemId);
    if (!item) throw fail('NOT_FOUND', `order ${order.orderNumber ?? order.id} has no item ${orderItemId}`);
    if (!item.requiresShipping) throw invalidField(`items.${at}.order_item_id`, `${item.sku} is not shipped`);
    if (seen.has(orderItemId)) throw invalidField(`items.${at}.order_item_id`, 'is listed twice');
    seen.add(orderItemId);
  }
  return asked;
}

function restOf(order: orders.Order, items: readonly orders.OrderItem[]): Wanted[] {
  const rest = items.flatMap((one) => {
    const quantity = one.quantity - one.fulfilledQuantity - one.cancelledQuantity;
    return one.requiresShipping && quantity > 0 ? [{ orderItemId: one.id, quantity }] : [];
  });
  if (rest.length > 0) return rest;
  throw fail('VALIDATION_ERROR', `order ${order.orderNumber ?? order.id} has nothing left to ship`, {
    details: { reason: 'INVALID_TRANSITION', from: order.status, trigger: 'ship' },
  });
}

async function written(
  ctx: Ctx,
  order: orders.Order,
  wanted: readonly Wanted[],
  { carrier, service, trackingNumber, trackingUrl }: Tracking,
): Promise<Shipment> {
  const now = ctx.now();
  const before = await repo.shipmentsOf(ctx, order.id);
  const shipment: Shipment = {
    id: ctx.newId(ids.shipment),
    orderId: order.id,
    shipmentNumber: `${order.orderNumber}-${before.length + 1}`,
    status: 'pending',
    carrier: carrier ?? null,
    service: service ?? null,
    trackingNumber: trackingNumber ?? null,
    trackingUrl: trackingUrl ?? null,
    cancelReason: null,
    shippedAt: null,
    deliveredAt: null,
    cancelledAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await repo.insertShipment(
    ctx,
    shipment,
    wanted.map((one) => ({ shipmentId: shipment.id, ...one, createdAt: now })),
  );
  return shipment;
}
