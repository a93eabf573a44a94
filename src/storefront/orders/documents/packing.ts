import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as orders from '../orders/index.ts';
import { type Shipment, shipmentItemsOf, shipmentsOf } from '../shipments/index.ts';
import { buyerOf, frameOf, lineOf } from './content.ts';
import type { DocumentModel } from './model.ts';
import { documentOptions } from './options.ts';
import { packingSlipPdf } from './packing-slip.ts';
import { logoOf, type Printed } from './print.ts';

const noAmounts = {
  refersTo: null,
  subtotalCents: 0,
  discounts: [],
  shippingCents: 0,
  taxes: [],
  taxCents: 0,
  totalCents: 0,
  giftCards: [],
  paidCents: 0,
  dueCents: 0,
  exempt: null,
};

/** Units of each line that go into the parcel; without one, all that is shipped of the order. */
async function unitsOf(ctx: Ctx, items: readonly orders.OrderItem[], shipment: Shipment | null) {
  if (!shipment)
    return new Map(
      items.flatMap(({ id, requiresShipping, quantity, cancelledQuantity }) =>
        requiresShipping ? [[id, quantity - cancelledQuantity] as const] : [],
      ),
    );
  const packed = await shipmentItemsOf(ctx, [shipment.id]);
  return new Map(packed.map(({ orderItemId, quantity }) => [orderItemId, quantity]));
}

async function slipOf(
  ctx: Ctx,
  order: orders.Order,
  shipment: Shipment | null,
  logo: Uint8Array | null,
): Promise<DocumentModel> {
  const whole = await orders.whole(ctx, order);
  const units = await unitsOf(ctx, whole.items, shipment);
  const frame = frameOf(ctx, whole);
  const note = [order.note, order.giftMessage].filter((text) => text).join('\n');
  return {
    ...noAmounts,
    ...frame,
    ...buyerOf(whole),
    seller: { ...frame.seller, logo },
    number: shipment?.shipmentNumber ?? order.orderNumber ?? order.id,
    date: shipment?.createdAt ?? order.placedAt ?? order.createdAt,
    lines: whole.items.flatMap((item) => {
      const quantity = units.get(item.id) ?? 0;
      return quantity === 0 ? [] : [{ ...lineOf(item), quantity }];
    }),
    note: note === '' ? null : note,
  };
}

/** An order that packing slips are made of. @throws AppError NOT_FOUND; VALIDATION_ERROR for one with nothing to pack */
async function packed(ctx: Ctx, idOrNumber: string): Promise<orders.Order> {
  const order = await orders.get(ctx, idOrNumber);
  const items = await orders.itemsOf(ctx, order.id);
  if (items.some(({ requiresShipping }) => requiresShipping)) return order;
  throw fail(
    'VALIDATION_ERROR',
    `order ${order.orderNumber ?? order.id} has no packing slip: nothing in it needs shipping`,
    { details: { reason: 'NOTHING_TO_SHIP' } },
  );
}

async function shipmentIn(ctx: Ctx, order: orders.Order, id: string): Promise<Shipment> {
  const found = (await shipmentsOf(ctx, order.id)).find((one) => one.id === id);
  if (found) return found;
  throw fail('NOT_FOUND', `order ${order.orderNumber ?? order.id} has no shipment ${id}`);
}

/**
 * What goes into a parcel as PDF, as the order is now (storefront-domain 15).
 *
 * @param shipmentId of the order; without it, everything of the order that is shipped
 * @throws AppError NOT_FOUND for an unknown order and a shipment of another order; VALIDATION_ERROR, reason
 *   NOTHING_TO_SHIP, for an order with nothing to pack
 */
export async function packingSlipDocument(
  ctx: Ctx,
  idOrNumber: string,
  shipmentId?: string,
): Promise<Printed> {
  const order = await packed(ctx, idOrNumber);
  const shipment = shipmentId === undefined ? null : await shipmentIn(ctx, order, shipmentId);
  const slip = await slipOf(ctx, order, shipment, await logoOf(ctx));
  return {
    fileName: `packing-slip-${slip.number}.pdf`,
    bytes: await packingSlipPdf(slip, await documentOptions(ctx)),
  };
}

/**
 * What goes into the parcels of several orders as one file, each beginning on a page of its own.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason NOTHING_TO_SHIP, as soon as one of them has no packing slip
 */
export async function packingSlipsDocument(ctx: Ctx, idsOrNumbers: readonly string[]): Promise<Printed> {
  const logo = await logoOf(ctx);
  const slips: DocumentModel[] = [];
  for (const one of new Set(idsOrNumbers)) slips.push(await slipOf(ctx, await packed(ctx, one), null, logo));
  return { fileName: 'packing-slips.pdf', bytes: await packingSlipPdf(slips, await documentOptions(ctx)) };
}
