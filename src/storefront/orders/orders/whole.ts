import type { Ctx } from '#kernel/context.ts';
import { invoiceNumberOf, type Parcel, parcelsOf } from './queries.ts';
import type { Order, OrderAddress, OrderAdjustment, OrderItem } from './record.ts';
import * as repo from './repository.ts';

/** An order with what stands in it. */
export interface WholeOrder {
  readonly order: Order;
  readonly items: readonly OrderItem[];
  readonly adjustments: readonly OrderAdjustment[];
  readonly shipping: OrderAddress | null;
  readonly billing: OrderAddress | null;
  readonly parcels: readonly Parcel[];
  /** null until it is placed. */
  readonly invoiceNumber: string | null;
}

/** Reads what stands in an order. */
export async function whole(ctx: Ctx, order: Order): Promise<WholeOrder> {
  const [items, adjustments, addresses, parcels, invoiceNumber] = await Promise.all([
    repo.itemsOf(ctx, order.id),
    repo.adjustmentsOf(ctx, order.id),
    repo.addressesOf(ctx, order.id),
    parcelsOf(ctx, order),
    invoiceNumberOf(ctx, order),
  ]);
  const of = (kind: OrderAddress['kind']) => addresses.find((one) => one.kind === kind) ?? null;
  return {
    order,
    items,
    adjustments,
    shipping: of('shipping'),
    billing: of('billing'),
    parcels,
    invoiceNumber,
  };
}
