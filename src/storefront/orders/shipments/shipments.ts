import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { sentFields } from '#kernel/service/input.ts';
import { mailDelivered, mailShipment } from '../mails/index.ts';
import * as orders from '../orders/index.ts';
import type { Shipment } from './record.ts';
import * as repo from './repository.ts';

type Order = orders.Order;

/** How a parcel travels. */
export interface Tracking {
  readonly carrier?: string | null | undefined;
  readonly service?: string | null | undefined;
  readonly trackingNumber?: string | null | undefined;
  readonly trackingUrl?: string | null | undefined;
}

/** A shipment. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, id: string): Promise<Shipment> {
  const found = await repo.findShipment(ctx, id);
  if (found) return found;
  throw fail('NOT_FOUND', `shipment ${id} does not exist`);
}

/** A shipment with its order locked, so that no other change of it comes between. */
async function locked(ctx: Ctx, id: string): Promise<{ order: Order; shipment: Shipment }> {
  const { orderId } = await get(ctx, id);
  const order = await orders.lock(ctx, orderId);
  return { order, shipment: await get(ctx, id) };
}

function requireState(shipment: Shipment, from: readonly Shipment['status'][], words: string): void {
  if (from.includes(shipment.status)) return;
  throw fail('VALIDATION_ERROR', `shipment ${shipment.shipmentNumber} is ${shipment.status}: ${words}`, {
    details: { reason: 'INVALID_TRANSITION', from: shipment.status },
  });
}

async function moved(ctx: Ctx, before: Shipment, changes: Partial<Shipment>): Promise<Shipment> {
  const after = { ...before, ...changes, updatedAt: ctx.now() };
  if ((await repo.updateShipment(ctx, after, before.status)) === 0)
    throw fail('CONFLICT', `shipment ${before.shipmentNumber} has changed in the meantime; try again`);
  const data = { shipment_id: after.id, number: after.shipmentNumber, status: after.status };
  if (after.status !== before.status)
    await orders.note(ctx, after.orderId, { type: 'shipment', data, visibleToCustomer: true });
  return after;
}

/** How far the goods of an order are, now that one of its shipments has moved. */
export async function standingOf(ctx: Ctx, orderId: string) {
  const items = await orders.itemsOf(ctx, orderId);
  const live = (await repo.shipmentsOf(ctx, orderId)).filter(({ status }) => status !== 'cancelled');
  const isDelivered = live.length > 0 && live.every(({ status }) => status === 'delivered');
  const hasLeft = orders.leftToShip(items) === 0 && live.every(({ status }) => status !== 'pending');
  return { fulfillmentStatus: orders.fulfillmentStatusOf(items, isDelivered), isDelivered, hasLeft };
}

/**
 * A shipment leaves; with the last one its order is shipped.
 *
 * @param notify false writes nothing to the customer
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, also for an order on hold
 */
export const ship = (ctx: Ctx, id: string, notify?: boolean): Promise<Shipment> =>
  ctx.tx(async (ctx) => {
    const { order, shipment } = await locked(ctx, id);
    return shipLocked(ctx, order, shipment, notify);
  });

/** As `ship`, in a transaction that has locked the order. */
export async function shipLocked(
  ctx: Ctx,
  order: Order,
  shipment: Shipment,
  notify = true,
): Promise<Shipment> {
  requireState(shipment, ['pending'], 'only a pending shipment can be shipped');
  orders.requireAllowed(order, 'ship');
  const after = await moved(ctx, shipment, { status: 'shipped', shippedAt: ctx.now() });
  const { fulfillmentStatus, hasLeft } = await standingOf(ctx, order.id);
  if (hasLeft) {
    const shipped = await orders.transition(ctx, order, 'ship', { fulfillmentStatus });
    await orders.tell(ctx, 'order.shipped', shipped, order);
  } else {
    const updated = await orders.write(ctx, order, { fulfillmentStatus });
    await orders.tell(ctx, 'order.updated', updated, order);
  }
  if (notify)
    await mailShipment(ctx, order, { ...after, items: await repo.shipmentItemsOf(ctx, [after.id]) });
  return after;
}

/**
 * A shipment has arrived; a paid order of which all have arrived is completed.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION
 */
export const deliver = (ctx: Ctx, id: string, deliveredAt?: string): Promise<Shipment> =>
  ctx.tx(async (ctx) => {
    const { order, shipment } = await locked(ctx, id);
    requireState(shipment, ['shipped'], 'only a shipped shipment can be delivered');
    const after = await moved(ctx, shipment, {
      status: 'delivered',
      deliveredAt: deliveredAt ?? ctx.now(),
    });
    const { fulfillmentStatus, isDelivered, hasLeft } = await standingOf(ctx, order.id);
    if (isDelivered && hasLeft && order.status === 'shipped' && order.paidAt !== null) {
      const changes = { fulfillmentStatus, completedAt: ctx.now() };
      const completed = await orders.transition(ctx, order, 'complete', changes);
      await orders.tell(ctx, 'order.completed', completed, order);
    } else {
      const updated = await orders.write(ctx, order, { fulfillmentStatus });
      await orders.tell(ctx, 'order.updated', updated, order);
    }
    await mailDelivered(ctx, order, after);
    return after;
  });

/**
 * A shipment does not leave, or was lost on its way: its units can be shipped again.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, once it was delivered or its order completed
 */
export const cancel = (ctx: Ctx, id: string, reason: string | null): Promise<Shipment> =>
  ctx.tx(async (ctx) => {
    const { order, shipment } = await locked(ctx, id);
    requireState(shipment, ['pending', 'shipped'], 'it can no longer be canceled');
    if (order.status === 'completed') orders.requireAllowed(order, 'unship');
    const after = await moved(ctx, shipment, {
      status: 'cancelled',
      cancelledAt: ctx.now(),
      cancelReason: reason,
    });
    for (const { orderItemId, quantity } of await repo.shipmentItemsOf(ctx, [id]))
      if (!(await orders.takeFulfilled(ctx, order.id, orderItemId, -quantity)))
        throw fail('VALIDATION_ERROR', 'units of this shipment are being returned, or were returned', {
          details: { reason: 'INVALID_TRANSITION', from: shipment.status, trigger: 'cancel' },
        });
    const { fulfillmentStatus } = await standingOf(ctx, order.id);
    const updated =
      order.status === 'shipped'
        ? await orders.transition(ctx, order, 'unship', { fulfillmentStatus })
        : await orders.write(ctx, order, { fulfillmentStatus });
    await orders.tell(ctx, 'order.updated', updated, order);
    return after;
  });

/** Changes how a shipment is followed on its way. @throws AppError NOT_FOUND; VALIDATION_ERROR for a cancelled one */
export const track = (ctx: Ctx, id: string, tracking: Tracking): Promise<Shipment> =>
  ctx.tx(async (ctx) => {
    const { order, shipment } = await locked(ctx, id);
    requireState(shipment, ['pending', 'shipped', 'delivered'], 'its tracking can no longer change');
    const after = await moved(ctx, shipment, sentFields(tracking) as Partial<Shipment>);
    await orders.tell(ctx, 'order.updated', await orders.write(ctx, order, {}), order);
    return after;
  });
