import type { Ctx } from '#kernel/context.ts';
import type { Payload } from '#kernel/hooks/point.ts';
import { fail } from '#kernel/service/errors.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { declaredNames, storeFields, storeNames } from '#platform/admin/index.ts';
import { type Address, addressOf, addressView } from '#storefront/contract/address.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as orders from '../orders/index.ts';
import { nameOf, told } from './desk.ts';
import { addressSent, type OrderAddressSent, OrderUpdate } from './schemas.ts';

type Order = orders.Order;
type Kind = orders.OrderAddress['kind'];

/** What staff change of an order: absent leaves it. */
export interface OrderChange {
  readonly tags?: readonly string[] | undefined;
  readonly internalNote?: string | null | undefined;
  readonly email?: string | undefined;
  readonly shippingAddress?: OrderAddressSent | undefined;
  readonly billingAddress?: OrderAddressSent | undefined;
}

/** In which state something may be changed. */
interface Condition {
  /** The version as the caller read it, as text; undefined changes any. */
  readonly ifMatch?: string | undefined;
}

/**
 * Changes what staff write about an order, whom it is written to, and where it goes while nothing has left. Links in
 * mails to an earlier address end. Its amounts stay; an edit prices it again for the new address.
 *
 * @throws AppError NOT_FOUND; PRECONDITION_FAILED in another version than the caller read; VALIDATION_ERROR for an address
 *   that is not complete, and reason INVALID_TRANSITION for one of an order that has left or ended
 */
export async function change(
  ctx: Ctx,
  idOrNumber: string,
  asked: OrderChange,
  { ifMatch }: Condition,
): Promise<Order> {
  const sent = await hookedChange(ctx, idOrNumber, asked);
  return ctx.tx(async (ctx) => {
    const before = await orders.lock(ctx, idOrNumber);
    requireUnchanged(nameOf(before), String(before.version), ifMatch);
    const moved = [
      ...(await movedTo(ctx, before, 'shipping', sent.shippingAddress)),
      ...(await movedTo(ctx, before, 'billing', sent.billingAddress)),
    ];
    const { email = before.email, internalNote = before.internalNote } = sent;
    const wanted = {
      email,
      internalNote,
      tags: sent.tags === undefined ? before.tags : [...new Set(sent.tags)],
    };
    const { tags } = before;
    const isSame =
      JSON.stringify(wanted) ===
      JSON.stringify({ email: before.email, internalNote: before.internalNote, tags });
    if (isSame && moved.length === 0) return before;
    for (const { row } of moved) await orders.putAddress(ctx, row);
    if (email !== before.email) await orders.closeAccess(ctx, before);
    const changes = [
      ...moved.map(({ field, from, to }) => [field, { from, to }] as const),
      ...(email === before.email ? [] : [['email', { from: before.email, to: email }] as const]),
    ];
    if (changes.length > 0)
      await orders.note(ctx, before.id, { type: 'edit', data: Object.fromEntries(changes) });
    return told(ctx, await orders.write(ctx, before, wanted), before);
  });
}

/** The change as the operator's hooks leave it. */
async function hookedChange(ctx: Ctx, idOrNumber: string, sent: OrderChange): Promise<OrderChange> {
  const changed = await orders.beforeUpdate(ctx, idOrNumber, {
    action: 'change',
    sent: storeNames(OrderUpdate, sent) as Payload,
    changes: () => storeFields(OrderUpdate),
  });
  return changed ? { ...sent, ...(declaredNames(OrderUpdate, changed) as OrderChange) } : sent;
}

/** An address that is another one than before. */
async function movedTo(ctx: Ctx, order: Order, kind: Kind, sent: OrderAddressSent | undefined) {
  if (sent === undefined) return [];
  const field = `${kind}_address`;
  const address = addressOf(addressSent(sent), field);
  const { items, ...had } = await orders.whole(ctx, order);
  const old = had[kind];
  if (old && isSame(old, address)) return [];
  requireMovable(order, items);
  const now = ctx.now();
  const row = {
    id: ctx.newId(ids.orderAddress),
    orderId: order.id,
    kind,
    ...address,
    createdAt: now,
    updatedAt: now,
  };
  return [{ field, row, from: old && addressView(old), to: addressView(address) }];
}

const isSame = (one: Address, other: Address): boolean =>
  JSON.stringify(addressView(one)) === JSON.stringify(addressView(other));

const MOVABLE: readonly Order['status'][] = ['draft', 'pending', 'processing', 'on_hold'];

function requireMovable(order: Order, items: readonly orders.OrderItem[]): void {
  const hasLeft = items.some(({ fulfilledQuantity }) => fulfilledQuantity > 0);
  const isAtCheckout = order.placedAt === null && order.cartId !== null;
  if (MOVABLE.includes(order.status) && !hasLeft && !isAtCheckout) return;
  const why = hasLeft
    ? 'is in a shipment: cancel the shipment first'
    : isAtCheckout
      ? 'is still being paid at the checkout'
      : `is ${order.status.replace('_', ' ')}`;
  throw fail('VALIDATION_ERROR', `the addresses of ${nameOf(order)} cannot be changed: it ${why}`, {
    details: { reason: 'INVALID_TRANSITION', from: order.status },
  });
}
