import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { returnWindowDays } from '#storefront/contract/selling-settings.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import * as orders from '../orders/index.ts';
import { itemPart } from '../payments/index.ts';

/** Why nothing of a line can be returned. */
export type NotReturnable = 'cancelled' | 'not_sent' | 'not_paid' | 'gift_card' | 'none_left' | 'too_late';

/** What of a line of an order can be returned. */
export interface ReturnableLine {
  readonly item: orders.OrderItem;
  /** Units; 0 with a reason. */
  readonly quantity: number;
  readonly why: NotReturnable | null;
  /** Until when, ISO time; null while nothing of it has left. */
  readonly deadline: string | null;
  /** What one unit more is worth now. */
  readonly unitRefundCents: number;
}

/** Units of a line that have left, and when the last of them did or arrived. */
function sentOf(parcels: readonly orders.Parcel[], itemId: string): { units: number; at: string | null } {
  let units = 0;
  let last: string | null = null;
  for (const { items, shippedAt, deliveredAt } of parcels) {
    const one = items.find(({ orderItemId }) => orderItemId === itemId);
    const at = deliveredAt ?? shippedAt;
    if (!one || at === null) continue;
    units += one.quantity;
    if (last === null || at > last) last = at;
  }
  return { units, at: last };
}

/**
 * What of an order can be returned, line by line (storefront-domain 6.5): goods that have left, digital ones that are paid,
 * within `return_window_days` of delivery, else of shipping, else of the order. Units that were refunded, and those of
 * another return, are not returned again.
 *
 * @param isLate the window does not matter: staff decide so
 */
export async function returnableLines(
  ctx: Ctx,
  order: orders.Order,
  isLate = false,
): Promise<ReturnableLine[]> {
  const [items, parcels] = await Promise.all([orders.itemsOf(ctx, order.id), orders.parcelsOf(ctx, order)]);
  const days = ctx.settings.get(returnWindowDays);
  return items.map((item) => {
    const sent = sentOf(parcels, item.id);
    const from = item.requiresShipping ? sent.at : order.placedAt;
    const deadline = from === null ? null : addSeconds(from, days * SECONDS_PER_DAY);
    const quantity = unitsOf(item, sent.units);
    const isOver = !isLate && deadline !== null && ctx.now() >= deadline;
    const why = whyNot(order, item, { sent: sent.units, quantity, isOver });
    const { amountCents } = itemPart(item, 1);
    return {
      item,
      quantity: why === null ? quantity : 0,
      why,
      deadline,
      unitRefundCents: item.refundedQuantity < item.quantity ? amountCents : 0,
    };
  });
}

/** Units that left, or of digital goods were bought, and were neither returned nor refunded nor asked back. */
function unitsOf(item: orders.OrderItem, sent: number): number {
  const had = item.requiresShipping ? sent : item.quantity - item.cancelledQuantity;
  const asked = item.returnRequestedQuantity;
  return Math.max(
    0,
    Math.min(had - item.returnedQuantity - asked, item.quantity - item.refundedQuantity - asked),
  );
}

function whyNot(
  { placedAt, paidAt, status }: orders.Order,
  { type, requiresShipping }: orders.OrderItem,
  { sent, quantity, isOver }: { sent: number; quantity: number; isOver: boolean },
): NotReturnable | null {
  if (placedAt === null || status === 'cancelled') return 'cancelled';
  if (type === 'gift_card') return 'gift_card';
  if (requiresShipping && sent === 0) return 'not_sent';
  if (!requiresShipping && paidAt === null) return 'not_paid';
  if (quantity === 0) return 'none_left';
  return isOver ? 'too_late' : null;
}

/** What units of a line came to when they were bought. */
export const worthOf = (item: orders.OrderItem, quantity: number): number =>
  quantity === 0 ? 0 : itemPart(item, Math.min(quantity, item.quantity - item.refundedQuantity)).amountCents;

/** Whether something of an order can be returned now by whoever bought it. */
export async function canReturn(ctx: Ctx, order: orders.Order): Promise<boolean> {
  if (!ctx.settings.get(featureSettings.returns_enabled) || order.placedAt === null) return false;
  return (await returnableLines(ctx, order)).some(({ why }) => why === null);
}
