import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { returnInstructions, returnShipDays } from '#storefront/contract/selling-settings.ts';
import * as orders from '../orders/index.ts';
import { returnEvents } from './events.ts';
import { hookedApproval } from './hooked.ts';
import { arrived } from './receive.ts';
import type { Return, ReturnItem } from './record.ts';
import * as repo from './repository.ts';
import { worthOf } from './returnable.ts';
import { get, giveBack, type Held, held, restate, tell, transition } from './returns.ts';
import { mailReturn } from './send.ts';
import { requireAllowed } from './states.ts';

/** How a return is approved; what is absent follows from what was asked for and from the settings. */
export interface Approval {
  readonly items?: readonly { readonly id: string; readonly approvedQuantity: number }[] | undefined;
  readonly instructions?: string | undefined;
  readonly labelUrl?: string | undefined;
  /** Where `storeLabel` keeps an uploaded label. */
  readonly labelKey?: string | undefined;
  readonly carrier?: string | undefined;
  /** ISO time. */
  readonly returnBy?: string | undefined;
}

/**
 * Lets a customer send goods back, all that were asked back or fewer. What needs no parcel is received at once
 * (storefront-domain 6.5).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION
 */
export async function approve(ctx: Ctx, idOrNumber: string, asked: Approval = {}): Promise<Return> {
  const seen = await get(ctx, idOrNumber);
  requireAllowed(seen, 'approve');
  const approval = await hookedApproval(ctx, seen, asked);
  return ctx.tx(async (ctx) => approveLocked(ctx, await held(ctx, idOrNumber), approval));
}

async function approveLocked(ctx: Ctx, { order, one, items }: Held, approval: Approval): Promise<Return> {
  requireAllowed(one, 'approve');
  if (approval.returnBy !== undefined && approval.returnBy <= ctx.now())
    throw invalidField('return_by', 'must be in the future');
  const lines = new Map((await orders.itemsOf(ctx, order.id)).map((line) => [line.id, line]));
  const approved = approvedItems(items, approval, lines, ctx.now());
  await giveBack(ctx, order.id, approved, ({ quantity, approvedQuantity }) => quantity - approvedQuantity);
  for (const item of approved) await repo.updateItem(ctx, item);
  const days = ctx.settings.get(returnShipDays);
  const after = await transition(ctx, one, 'approve', {
    instructions: approval.instructions ?? ctx.settings.get(returnInstructions),
    labelUrl: approval.labelUrl ?? null,
    labelKey: approval.labelKey ?? null,
    carrier: approval.carrier ?? null,
    returnBy: approval.returnBy ?? addSeconds(ctx.now(), days * SECONDS_PER_DAY),
    approvedAt: ctx.now(),
  });
  await tell(ctx, 'return.approved', after, one);
  const isGoods = approved.some(
    ({ orderItemId, approvedQuantity }) => approvedQuantity > 0 && lines.get(orderItemId)?.requiresShipping,
  );
  if (isGoods) {
    await mailReturn(ctx, order, after, 'return_approved');
    await restate(ctx, order.id);
    return after;
  }
  const received = approved.map((item) => ({ ...item, receivedQuantity: item.approvedQuantity }));
  return arrived(ctx, { order, one: after, items: approved }, received);
}

/** @throws AppError NOT_FOUND for an item of another return; VALIDATION_ERROR when nothing would be approved */
function approvedItems(
  items: readonly ReturnItem[],
  { items: wanted = [] }: Approval,
  lines: ReadonlyMap<string, orders.OrderItem>,
  updatedAt: string,
): ReturnItem[] {
  const said = quantitiesBy(
    items,
    wanted.map(({ id, approvedQuantity }) => [id, approvedQuantity]),
  );
  const approved = items.map((item, at) => {
    const approvedQuantity = said.get(item.id) ?? item.quantity;
    if (approvedQuantity > item.quantity)
      throw invalidField(
        `items.${at}.approved_quantity`,
        `must be at most ${item.quantity}, which were requested`,
      );
    const line = lines.get(item.orderItemId) as orders.OrderItem;
    return { ...item, approvedQuantity, refundCents: worthOf(line, approvedQuantity), updatedAt };
  });
  if (approved.every(({ approvedQuantity }) => approvedQuantity === 0))
    throw invalidField('items', 'approve at least one unit, or reject the return');
  return approved;
}

/** Quantities by item. @throws AppError NOT_FOUND for an item of another return; VALIDATION_ERROR for one that is named twice */
export function quantitiesBy(
  items: readonly ReturnItem[],
  said: readonly (readonly [id: string, quantity: number])[],
): Map<string, number> {
  const found = new Map<string, number>();
  for (const [at, [id, quantity]] of said.entries()) {
    if (!items.some((one) => one.id === id)) throw fail('NOT_FOUND', `the return has no item ${id}`);
    if (found.has(id)) throw invalidField(`items.${at}.id`, 'is listed twice');
    found.set(id, quantity);
  }
  return found;
}

/** Ends a return that holds units: they can be asked back again. */
async function ended(
  ctx: Ctx,
  { order, one, items }: Held,
  trigger: 'reject' | 'cancel' | 'expire',
  reason: string | null,
): Promise<Return> {
  const isDecided = one.status !== 'requested';
  const after = await transition(ctx, one, trigger, { endReason: reason, closedAt: ctx.now() });
  await giveBack(ctx, order.id, items, ({ quantity, approvedQuantity }) =>
    isDecided ? approvedQuantity : quantity,
  );
  await returnEvents.tell(ctx, 'return.ended', one.id, { orderId: order.id, how: after.status });
  await tell(ctx, 'return.changed', after, one, reason);
  await restate(ctx, order.id);
  return after;
}

/** Refuses a return. @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION */
export const reject = (ctx: Ctx, idOrNumber: string, reason: string): Promise<Return> =>
  ctx.tx(async (ctx) => {
    const found = await held(ctx, idOrNumber);
    const after = await ended(ctx, found, 'reject', reason);
    await mailReturn(ctx, found.order, after, 'return_rejected');
    return after;
  });

/** Withdraws a return of which nothing has arrived. @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION */
export const cancel = (ctx: Ctx, idOrNumber: string, reason: string | null = null): Promise<Return> =>
  ctx.tx(async (ctx) => ended(ctx, await held(ctx, idOrNumber), 'cancel', reason));

/** Ends what waits for a decision or for goods of an order that was cancelled, in the transaction that cancels it. */
export async function cancelOf(ctx: Ctx, orderId: string): Promise<void> {
  for (const { id, status } of await repo.returnsOf(ctx, orderId))
    if (status === 'requested' || status === 'approved') await cancel(ctx, id, 'The order was canceled');
}

/**
 * Says how goods travel that a customer has sent.
 *
 * @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION
 */
export const track = (
  ctx: Ctx,
  idOrNumber: string,
  { carrier, trackingNumber }: { readonly carrier: string; readonly trackingNumber: string },
): Promise<Return> =>
  ctx.tx(async (ctx) => {
    const { one, order } = await held(ctx, idOrNumber);
    const after = await transition(ctx, one, 'track', { carrier, trackingNumber });
    await tell(ctx, 'return.changed', after, one);
    await restate(ctx, order.id);
    return after;
  });

/** Days that a parcel may still be on its way after it had to be sent. */
const GRACE_DAYS = 7;
const AT_ONCE = 500;

/** Ends approved returns whose goods did not come in their time, each in a transaction of its own. */
export async function expireReturns(ctx: Ctx): Promise<{ expired: number }> {
  const before = addSeconds(ctx.now(), -GRACE_DAYS * SECONDS_PER_DAY);
  let expired = 0;
  for (const id of await repo.listOverdue(ctx, before, AT_ONCE))
    expired += Number(await expireOne(ctx, id, before));
  return { expired };
}

/** It may have moved since it was listed. */
const expireOne = (ctx: Ctx, id: string, before: string): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    const found = await held(ctx, id);
    const { status, returnBy } = found.one;
    const isWaiting = status === 'approved' || status === 'in_transit';
    if (!isWaiting || returnBy === null || returnBy > before) return false;
    const after = await ended(ctx, found, 'expire', null);
    await mailReturn(ctx, found.order, after, 'return_expired');
    return true;
  });
