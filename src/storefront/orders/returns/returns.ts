import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as orders from '../orders/index.ts';
import { returnEvents } from './events.ts';
import { OPEN_RETURNS, type Return, type ReturnItem } from './record.ts';
import * as repo from './repository.ts';
import { requireAllowed, TRIGGERS, type Trigger } from './states.ts';
import { returnView, wholeReturn } from './view.ts';

const missing = (name: string) => fail('NOT_FOUND', `return ${name} does not exist`);

/** A return by its id or its number. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, idOrNumber: string): Promise<Return> {
  const found = idOrNumber.startsWith(`${ids.return}_`)
    ? await repo.findReturn(ctx, idOrNumber)
    : await repo.findByNumber(ctx, idOrNumber);
  if (found) return found;
  throw missing(idOrNumber);
}

/** A return of an order; one of another order is as unknown as none. @throws AppError NOT_FOUND */
export async function getOf(ctx: Ctx, { id }: orders.Order, number: string): Promise<Return> {
  const found = await repo.findByNumber(ctx, number);
  if (found?.orderId === id) return found;
  throw missing(number);
}

/** A return with its order, both locked: the order first, as everybody does. */
export interface Held {
  readonly order: orders.Order;
  readonly one: Return;
  readonly items: readonly ReturnItem[];
}

/** Locks a return and its order. @throws AppError NOT_FOUND */
export async function held(ctx: Ctx, idOrNumber: string): Promise<Held> {
  const { id, orderId } = await get(ctx, idOrNumber);
  const order = await orders.lock(ctx, orderId);
  const one = await repo.lockReturn(ctx, id);
  if (!one) throw missing(idOrNumber);
  return { order, one, items: await repo.itemsOf(ctx, id) };
}

/**
 * Moves a return that the transaction has locked, with what else changes, and adds it to the history of its order. The only
 * way in which the state of a return changes.
 *
 * @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION
 */
export async function transition(
  ctx: Ctx,
  before: Return,
  trigger: Trigger,
  changes: Partial<Return> = {},
): Promise<Return> {
  requireAllowed(before, trigger);
  const after: Return = { ...before, ...changes, status: TRIGGERS[trigger].to, updatedAt: ctx.now() };
  if ((await repo.updateReturn(ctx, after, before.status)) === 0) {
    requireAllowed((await repo.findReturn(ctx, before.id)) ?? before, trigger);
    throw fail('CONFLICT', `return ${before.returnNumber} has changed in the meantime; try again`);
  }
  await noted(ctx, after);
  return after;
}

/** Says in the history of the order how far its return is. */
export const noted = (ctx: Ctx, { orderId, id, returnNumber, status, endReason }: Return) =>
  orders.note(ctx, orderId, {
    type: 'return',
    body: endReason,
    data: { return_id: id, number: returnNumber, status },
    visibleToCustomer: true,
  });

type ToldName = 'return.requested' | 'return.approved' | 'return.received' | 'return.changed';

/** Tells webhooks and the audit log of a return. */
export const tell = (ctx: Ctx, name: ToldName, after: Return, before: Return | null, note?: string | null) =>
  returnEvents.tell(
    ctx,
    name,
    after.id,
    { returnNumber: after.returnNumber, status: after.status, orderId: after.orderId },
    {
      ...{ before, after, note },
      // The timeline calls two of its fields otherwise: receivers get the object of the API alone.
      forReceivers: async (ctx) => ({
        ...{ returnNumber: undefined, orderId: undefined },
        ...returnView(await wholeReturn(ctx, after)),
      }),
    },
  );

/** Gives units back that a return held: they can be asked back again. @param units by item of the order */
export async function giveBack(
  ctx: Ctx,
  orderId: string,
  items: readonly ReturnItem[],
  units: (item: ReturnItem) => number,
): Promise<void> {
  for (const item of items) {
    const quantity = units(item);
    if (quantity > 0) await orders.takeReturnRequest(ctx, orderId, item.orderItemId, -quantity);
  }
}

/** How far returns of an order are: it follows from them and is never set (storefront-domain 6.1). */
function statusOf(returns: readonly Return[], items: readonly orders.OrderItem[]): orders.ReturnStatus {
  if (returns.some(({ status }) => status === 'requested')) return 'requested';
  if (returns.some(({ status }) => OPEN_RETURNS.includes(status))) return 'in_progress';
  if (items.every(({ returnedQuantity }) => returnedQuantity === 0)) return 'none';
  const isWhole = items
    .filter(({ type }) => type !== 'gift_card')
    .every((item) => item.returnedQuantity >= item.quantity - item.cancelledQuantity);
  return isWhole ? 'returned' : 'partially_returned';
}

/** Works out how far the returns of an order are; where that has changed, webhooks hear of the order. */
export async function restate(ctx: Ctx, orderId: string): Promise<orders.Order> {
  const order = await orders.lock(ctx, orderId);
  const [returns, items] = await Promise.all([repo.returnsOf(ctx, orderId), orders.itemsOf(ctx, orderId)]);
  const returnStatus = statusOf(returns, items);
  if (returnStatus === order.returnStatus) return order;
  const after = await orders.write(ctx, order, { returnStatus });
  await orders.tell(ctx, 'order.updated', after, order);
  return after;
}
