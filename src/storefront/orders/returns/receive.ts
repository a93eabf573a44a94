import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import * as orders from '../orders/index.ts';
import type { CONDITIONS, Return, ReturnItem } from './record.ts';
import * as repo from './repository.ts';
import { worthOf } from './returnable.ts';
import { giveBack, type Held, held, restate, tell, transition } from './returns.ts';
import { mailReturn } from './send.ts';
import { requireAllowed } from './states.ts';

/** What has arrived of an item of a return. */
export interface Arrived {
  readonly id: string;
  readonly receivedQuantity: number;
  readonly condition?: (typeof CONDITIONS)[number] | undefined;
  /** Goes back into stock; when absent unless it is damaged. */
  readonly restock?: boolean | undefined;
}

/**
 * Notes what has arrived: it goes back into stock where it can be sold again, and what did not arrive can be asked back
 * another time (storefront-domain 6.5).
 *
 * @param said items that are not named did not arrive
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION
 */
export const receive = (ctx: Ctx, idOrNumber: string, said: readonly Arrived[]): Promise<Return> =>
  ctx.tx(async (ctx) => {
    const found = await held(ctx, idOrNumber);
    requireAllowed(found.one, 'receive');
    return arrived(ctx, found, receivedItems(found.items, said));
  });

/** @throws AppError NOT_FOUND for an item of another return; VALIDATION_ERROR beyond what was approved, and for nothing */
function receivedItems(items: readonly ReturnItem[], said: readonly Arrived[]): ReturnItem[] {
  const by = new Map<string, Arrived>();
  for (const [at, one] of said.entries()) {
    const item = items.find(({ id }) => id === one.id);
    if (!item) throw fail('NOT_FOUND', `the return has no item ${one.id}`);
    if (by.has(one.id)) throw invalidField(`items.${at}.id`, 'is listed twice');
    if (one.receivedQuantity > item.approvedQuantity)
      throw invalidField(
        `items.${at}.received_quantity`,
        `must be at most ${item.approvedQuantity}, which were approved`,
      );
    by.set(one.id, one);
  }
  if (said.every(({ receivedQuantity }) => receivedQuantity === 0))
    throw invalidField('items', 'enter at least one unit that has arrived');
  return items.map((item) => {
    const { receivedQuantity = 0, condition = null, restock } = by.get(item.id) ?? {};
    const isBack = receivedQuantity > 0 && (restock ?? condition !== 'damaged');
    return { ...item, receivedQuantity, condition: receivedQuantity > 0 ? condition : null, restock: isBack };
  });
}

/** As `receive`, in a transaction that has locked the return. @param received its items as they have arrived */
export async function arrived(
  ctx: Ctx,
  { order, one, items }: Held,
  received: readonly ReturnItem[],
): Promise<Return> {
  const after = await transition(ctx, one, 'receive', { receivedAt: ctx.now() });
  const lines = new Map((await orders.itemsOf(ctx, order.id)).map((line) => [line.id, line]));
  for (const item of received) {
    const line = lines.get(item.orderItemId) as orders.OrderItem;
    const quantity = item.receivedQuantity;
    if (quantity > 0 && !(await orders.takeReturned(ctx, order.id, line.id, quantity)))
      throw fail('CONFLICT', `return ${one.returnNumber} has changed in the meantime; try again`);
    await repo.updateItem(ctx, { ...item, refundCents: worthOf(line, quantity), updatedAt: ctx.now() });
  }
  await giveBack(ctx, order.id, received, (item) => item.approvedQuantity - item.receivedQuantity);
  await restock(ctx, order.id, one.id, received, lines);
  await tell(ctx, 'return.received', after, { ...one });
  await restate(ctx, order.id);
  if (items.length > 0) await mailReturn(ctx, order, after, 'return_received');
  return after;
}

async function restock(
  ctx: Ctx,
  orderId: string,
  returnId: string,
  received: readonly ReturnItem[],
  lines: ReadonlyMap<string, orders.OrderItem>,
): Promise<void> {
  const back = received.flatMap(({ orderItemId, receivedQuantity: quantity, restock }) => {
    const line = lines.get(orderItemId);
    const isGoods = restock && quantity > 0 && line?.requiresShipping && line.variantId !== null;
    return isGoods ? [{ variantId: line.variantId as string, quantity }] : [];
  });
  if (back.length > 0) await inventory.putBack(ctx, orderId, back, 'return', returnId);
}
