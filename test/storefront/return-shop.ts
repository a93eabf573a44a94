// Orders that were sent, and what their customers return of them.
import type { openOrderShop } from './order-shop.ts';

type Shop = Awaited<ReturnType<typeof openOrderShop>>;

/** Seeded with every shop: no note and no photo is asked for. */
export const CHANGED_MIND = `rrs_${'5'.padStart(26, '0')}`;
/** Seeded too: it asks for a note. */
export const DAMAGED = `rrs_${'1'.padStart(26, '0')}`;

export interface ReturnShown {
  id: string;
  return_number: string;
  status: string;
  items: { id: string; order_item_id: string; quantity: number; approved_quantity: number }[];
  refunds: { amount_cents: number; status: string; to: string }[];
  [field: string]: unknown;
}

/** What tests of returns need beside orders. */
export function returnTools(shop: Shop) {
  const { staff, knex } = shop;

  /** An order of which everything was delivered. */
  async function delivered(units = 1, more: { stock?: number; product?: object; order?: object } = {}) {
    const variantId = await shop.stocked(more.stock ?? 10, more.product);
    const order = await shop.placed(variantId, units, 'fake', more.order);
    const shipment = await staff.data(`/orders/${order.id}/shipments`, 'POST', { ship_now: true });
    await staff.data(`/shipments/${shipment.id}/deliver`, 'POST', {});
    return { order, variantId, item: order.items[0]?.id ?? '' };
  }

  const asked = async (orderId: string, orderItemId: string, quantity: number, more: object = {}) =>
    (await staff.data('/returns', 'POST', {
      order_id: orderId,
      items: [{ order_item_id: orderItemId, quantity, reason_id: CHANGED_MIND }],
      ...more,
    })) as unknown as ReturnShown;

  const step = async (id: string, name: string, body: object = {}): Promise<ReturnShown> =>
    (await staff.data(`/returns/${id}/${name}`, 'POST', body)) as unknown as ReturnShown;

  const get = async (id: string) => (await staff.data(`/returns/${id}`)) as unknown as ReturnShown;

  /** Approved, and all that was approved has arrived. */
  async function received(one: ReturnShown, more: object = {}): Promise<ReturnShown> {
    await step(one.id, 'approve');
    return step(one.id, 'receive', {
      items: one.items.map(({ id, quantity }) => ({
        id,
        received_quantity: quantity,
        condition: 'new',
        ...more,
      })),
    });
  }

  const lineOf = (id: string) =>
    knex()('order_items')
      .where({ id })
      .first(
        'fulfilled_quantity',
        'return_requested_quantity',
        'returned_quantity',
        'refunded_quantity',
        'refunded_cents',
      );
  return { delivered, asked, step, get, received, lineOf };
}
