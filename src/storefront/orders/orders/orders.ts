import type { Actor } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { takeNumber } from '#kernel/db/counters.ts';
import { fail } from '#kernel/service/errors.ts';
import { itemSnapshot, lineCheck } from '#storefront/contract/extensions.ts';
import { ids } from '#storefront/contract/ids.ts';
import { orderNumberPrefix } from '#storefront/contract/selling-settings.ts';
import { orderEvents } from './events.ts';
import { orderForReceivers } from './receivers.ts';
import type { Order, OrderAddress, OrderAdjustment, OrderEvent, OrderItem } from './record.ts';
import * as repo from './repository.ts';
import { requireAllowed, TRIGGERS, type Trigger } from './states.ts';

/** An order with its parts, as it is made; ids and numbers are given already. */
export interface OrderDraft {
  readonly order: Order;
  readonly items: readonly OrderItem[];
  readonly adjustments: readonly OrderAdjustment[];
  readonly addresses: readonly OrderAddress[];
}

/** The next order number: unique, and with gaps where orders were never placed. */
export async function nextNumber(ctx: Ctx): Promise<string> {
  return `${ctx.settings.get(orderNumberPrefix) ?? ''}${await takeNumber(ctx, 'shop_order_number')}`;
}

/** Lines with what whoever delivers them needs, as it is now. */
async function withSnapshots(ctx: Ctx, items: readonly OrderItem[]): Promise<readonly OrderItem[]> {
  const variantIds = items.flatMap(({ variantId }) => (variantId === null ? [] : [variantId]));
  const kept = items.flatMap(({ fulfilment }) => (fulfilment === null ? [] : [fulfilment]));
  if (kept.length > 0) for (const check of await ctx.filled(lineCheck)) await check(ctx, kept);
  const [snapshotOf] = await ctx.filled(itemSnapshot);
  if (!snapshotOf || variantIds.length === 0) return items;
  const known = await snapshotOf(ctx, variantIds);
  if (known.size === 0) return items;
  return items.map((item) => {
    const sold = known.get(item.variantId ?? '');
    return sold ? { ...item, fulfilment: { ...item.fulfilment, ...sold } } : item;
  });
}

/** Stores a new order with its parts, in the transaction that reserves what it needs. */
export async function insert(ctx: Ctx, { order, items, adjustments, addresses }: OrderDraft): Promise<void> {
  const lines = await withSnapshots(ctx, items);
  // The order first: a transaction runs its statements in the order in which they are sent.
  await Promise.all([
    repo.insertOrder(ctx, order),
    repo.insertItems(ctx, lines),
    repo.insertAdjustments(ctx, adjustments),
    repo.insertAddresses(ctx, addresses),
  ]);
}

/** Gives an order that was never placed other contents; its holds were given back before. @param was its state */
export async function rebuild(
  ctx: Ctx,
  { order, items, adjustments, addresses }: OrderDraft,
  was: 'pending' | 'draft' = 'pending',
): Promise<void> {
  await repo.deleteContents(ctx, order.id);
  await repo.updateOrder(ctx, order, was);
  await repo.insertItems(ctx, await withSnapshots(ctx, items));
  await repo.insertAdjustments(ctx, adjustments);
  await repo.insertAddresses(ctx, addresses);
}

/** Other contents of an order that was placed: what stays keeps its id. */
export interface Amendment {
  readonly kept: readonly OrderItem[];
  readonly added: readonly OrderItem[];
  readonly removed: readonly OrderItem[];
  readonly adjustments: readonly OrderAdjustment[];
}

/**
 * Gives an order that was placed other contents; the caller stores its amounts, and tells `order.amended` then.
 *
 * @throws AppError VALIDATION_ERROR for a line that a parcel or a refund names
 */
export async function amend(
  ctx: Ctx,
  order: Order,
  { kept, added, removed, adjustments }: Amendment,
): Promise<void> {
  for (const { id, sku } of removed)
    if (await repo.isNamed(ctx, id))
      throw fail('VALIDATION_ERROR', `${sku} was in a shipment or a refund and stays in the order`, {
        details: { reason: 'INVALID_TRANSITION', order_item_id: id },
      });
  await repo.deleteAdjustments(ctx, order.id);
  const itemIds = removed.map(({ id }) => id);
  if (itemIds.length > 0) await orderEvents.tell(ctx, 'order.lines_removed', order.id, { itemIds });
  await repo.deleteItems(ctx, itemIds);
  for (const item of kept) await repo.updateItem(ctx, item);
  await repo.insertItems(ctx, await withSnapshots(ctx, added));
  await repo.insertAdjustments(ctx, adjustments);
}

/** Who acts, as the history of an order names it. */
function actorOf({ kind, label }: Actor): Pick<OrderEvent, 'actorType' | 'actor'> {
  if (kind === 'staff') return { actorType: 'admin', actor: label };
  if (kind === 'api_key') return { actorType: 'api_key', actor: label };
  if (kind === 'customer' || kind === 'guest') return { actorType: 'customer', actor: null };
  return { actorType: 'system', actor: label };
}

/** What is noted of an order. */
export type Noted = Pick<OrderEvent, 'type'> &
  Partial<Omit<OrderEvent, 'id' | 'orderId' | 'type' | 'createdAt'>>;

/** Adds a line to the history of an order. */
export async function note(ctx: Ctx, orderId: string, noted: Noted): Promise<OrderEvent> {
  const one: OrderEvent = {
    id: ctx.newId(ids.orderEvent),
    orderId,
    from: null,
    to: null,
    body: null,
    data: {},
    visibleToCustomer: false,
    ...actorOf(ctx.actor),
    ...noted,
    createdAt: ctx.now(),
  };
  await repo.insertEvent(ctx, one);
  return one;
}

type OrderEventName =
  | 'order.created'
  | 'order.updated'
  | 'order.shipped'
  | 'order.completed'
  | 'order.cancelled';

/** Tells webhooks and the audit log of an order: one event for one change. */
export async function tell(
  ctx: Ctx,
  name: OrderEventName,
  order: Order,
  before: Order | null,
  why?: string | null,
): Promise<void> {
  const { orderNumber, status, paymentStatus } = order;
  await orderEvents.tell(
    ctx,
    name,
    order.id,
    { orderNumber, status, paymentStatus },
    {
      before,
      after: order,
      note: why,
      // The timeline calls two of its fields otherwise: receivers get the object of the API alone.
      forReceivers: async (ctx) => ({
        ...{ orderNumber: undefined, paymentStatus: undefined },
        ...(await orderForReceivers(ctx, order)),
      }),
    },
  );
}

/** Tells the audit log of an order that is not placed: only staff know of it, and no webhook does. */
export async function tellDraft(ctx: Ctx, order: Order, before: Order | null): Promise<void> {
  const { orderNumber, status, paymentStatus } = order;
  const told = { orderNumber, status, paymentStatus };
  await orderEvents.tell(ctx, 'order.drafted', order.id, told, { before, after: order });
}

/** Transitions that hooks of the operator may hold back (storefront-domain 19). */
const HOOKED: Partial<Record<Trigger, string>> = {
  ship: 'order.shipped',
  complete: 'order.completed',
};

/**
 * Moves an order that the transaction has locked from one state to another one, with what else changes, and adds it to its
 * history. The only way in which the state of an order changes.
 *
 * @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION, or HOOK_REJECTED by a hook of the operator
 */
export async function transition(
  ctx: Ctx,
  before: Order,
  trigger: Trigger,
  changes: Partial<Order> = {},
  noted: Partial<Noted> = {},
): Promise<Order> {
  requireAllowed(before, trigger);
  const point = HOOKED[trigger];
  if (point) await ctx.before(point, before.id, () => orderForReceivers(ctx, before));
  const { to } = TRIGGERS[trigger];
  const after: Order = {
    ...before,
    ...changes,
    status: to,
    version: before.version + 1,
    updatedAt: ctx.now(),
  };
  if ((await repo.updateOrder(ctx, after, before.status)) === 0) {
    const now = await repo.findOrder(ctx, before.id);
    requireAllowed(now ?? before, trigger);
    throw fail('CONFLICT', `order ${before.orderNumber ?? before.id} has changed in the meantime; try again`);
  }
  await note(ctx, before.id, {
    type: 'status',
    from: before.status,
    to,
    visibleToCustomer: before.status !== to,
    ...noted,
  });
  return after;
}

/** Stores other fields of an order that the transaction has locked; its state stays. */
export async function write(ctx: Ctx, before: Order, changes: Partial<Order>): Promise<Order> {
  const after = { ...before, ...changes, version: before.version + 1, updatedAt: ctx.now() };
  await repo.updateOrder(ctx, after, before.status);
  return after;
}

const missing = (id: string) => fail('NOT_FOUND', `order ${id} does not exist`);

/** An order by its id or its number (storefront-api.md 1.10). @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, idOrNumber: string): Promise<Order> {
  const found = idOrNumber.startsWith(`${ids.order}_`)
    ? await repo.findOrder(ctx, idOrNumber)
    : await repo.findByNumber(ctx, idOrNumber);
  if (found) return found;
  throw missing(idOrNumber);
}

/** As `get`, locked until the end of the transaction. @throws AppError NOT_FOUND */
export async function lock(ctx: Ctx, idOrNumber: string): Promise<Order> {
  const { id } = await get(ctx, idOrNumber);
  const held = await repo.lockOrder(ctx, id);
  if (held) return held;
  throw missing(idOrNumber);
}

/** Whether an account, or an email address, has placed an order before. */
export const hasOrdered = async (
  ctx: Ctx,
  { customerId, emailNorm }: { readonly customerId: string | null; readonly emailNorm: string | null },
): Promise<boolean> =>
  (customerId !== null || emailNorm !== null) && repo.wasOrdered(ctx, customerId ?? '', emailNorm ?? '');
