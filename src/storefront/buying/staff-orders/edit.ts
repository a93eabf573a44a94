import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import { markOrdered } from '#storefront/catalog/products/index.ts';
import { requireRefunder } from '#storefront/orders/desk/index.ts';
import { correctInvoice } from '#storefront/orders/documents/index.ts';
import { mailUpdated } from '#storefront/orders/mails/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import { buyerOf } from '#storefront/people/groups/index.ts';
import { send } from '../pay-links/index.ts';
import { hookedEdit } from './hooked.ts';
import { type LinesChange, linesAfter } from './lines.ts';
import { draftableOf, draftFrom, priced, withAmounts } from './priced.ts';
import { wantedOf, withShipping } from './staff-orders.ts';

type Order = orders.Order;

/** What becomes of the difference. */
export const SETTLES = ['payment_link', 'refund', 'none'] as const;

export interface EditInput extends LinesChange {
  readonly shippingCents?: number | undefined;
  readonly settle?: (typeof SETTLES)[number] | undefined;
  /** The total that staff saw in the preview. */
  readonly expectedTotalCents?: number | undefined;
}

/** An order as an edit would leave it. */
interface Planned {
  readonly before: orders.WholeOrder;
  readonly draft: orders.OrderDraft;
  /** With the new amounts. */
  readonly after: Order;
}

const EDITABLE: readonly Order['status'][] = ['draft', 'pending', 'processing', 'on_hold'];

/** @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION or PAYMENT_IN_PROGRESS */
async function requireEditable(ctx: Ctx, { order, items }: orders.WholeOrder): Promise<void> {
  const refuse = (why: string, reason = 'INVALID_TRANSITION') =>
    fail('VALIDATION_ERROR', `order ${order.orderNumber ?? order.id} ${why}`, {
      details: { reason, from: order.status, trigger: 'edit' },
    });
  if (!EDITABLE.includes(order.status))
    throw refuse(`is ${order.status.replace('_', ' ')} and can no longer be edited`);
  if (order.status === 'pending' && order.placedAt === null && order.cartId !== null)
    throw refuse('is still being paid at checkout');
  if (items.some(({ fulfilledQuantity }) => fulfilledQuantity > 0))
    throw refuse('is in a shipment: cancel the shipment first, or refund the unwanted items');
  if (items.some(({ refundedCents, cancelledQuantity }) => refundedCents > 0 || cancelledQuantity > 0))
    throw refuse('has items that were refunded or canceled: refund or cancel the others instead');
  const paid = await payments.paymentsOf(ctx, order.id);
  if (paid.some(({ status }) => payments.OPEN_STATES.includes(status)))
    throw refuse('is being paid right now: try again when the payment is done', 'PAYMENT_IN_PROGRESS');
}

async function planned(ctx: Ctx, order: Order, input: EditInput): Promise<Planned> {
  const before = await orders.whole(ctx, order);
  await requireEditable(ctx, before);
  const lines = await linesAfter(ctx, before.items, input, await buyerOf(ctx, order.customerId));
  const one = await draftableOf(ctx, before, lines, input.shippingCents ?? null);
  const price = await priced(ctx, one);
  const made = draftFrom(ctx, one, price, order);
  const items = made.items.map((item, position) => ({ ...item, position }));
  const after = withShipping(withAmounts(order, made.order), price, input.shippingCents);
  if (after.shippingCents - after.shippingDiscountCents < order.shippingRefundedCents)
    throw invalidField('shipping_cents', 'is less than the shipping already refunded');
  return { before, draft: { ...made, items }, after };
}

/** What an edit would change; nothing is written. @throws AppError as `edit` */
export async function preview(ctx: Ctx, idOrNumber: string, input: EditInput): Promise<Planned> {
  return planned(ctx, await orders.get(ctx, idOrNumber), input);
}

/**
 * Changes what stands in an order of which nothing has left: its lines and what shipping costs, priced by the engine of
 * carts with the order's own prices. Stock is taken and given back; money moves only as `settle` says (storefront-domain
 * 6.1, P17).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, PAYMENT_IN_PROGRESS, OUT_OF_STOCK or
 *   TOTAL_CHANGED; INSUFFICIENT_SCOPE for a refund by who may not refund
 */
export async function edit(ctx: Ctx, idOrNumber: string, asked: EditInput): Promise<Order> {
  const input = await hookedEdit(ctx, idOrNumber, asked);
  const { settle = 'none' } = input;
  if (settle === 'refund') requireRefunder(ctx);
  const edited = await ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, idOrNumber);
    const plan = await planned(ctx, order, input);
    requireTotal(plan.after, input.expectedTotalCents);
    requireSettle(plan.after, settle);
    const written = order.status === 'draft' ? await redraft(ctx, plan) : await rewrite(ctx, plan);
    await correctInvoice(ctx, written);
    if (settle === 'payment_link') await send(ctx, order.id, null);
    else if (written.placedAt !== null && written.totalCents !== order.totalCents)
      await mailUpdated(ctx, written);
    return written;
  });
  const credit = -orders.settlement(edited);
  if (settle === 'refund')
    await payments.refund(ctx, edited.id, {
      adjustmentCents: credit,
      reason: 'The order was edited',
      key: `edit:${edited.version}`,
    });
  return orders.completePaid(ctx, await orders.get(ctx, edited.id));
}

function requireTotal({ totalCents }: Order, expected: number | undefined): void {
  if (expected === undefined || expected === totalCents) return;
  throw fail('VALIDATION_ERROR', 'The total has changed. Review the preview and edit again', {
    details: { reason: 'TOTAL_CHANGED', totals: { total_cents: totalCents } },
  });
}

function requireSettle(after: Order, settle: NonNullable<EditInput['settle']>): void {
  const due = orders.settlement(after);
  if (settle === 'refund' && due >= 0)
    throw invalidField('settle', 'refund needs an amount to refund, but this edit has none: use none');
  if (settle !== 'payment_link') return;
  if (after.status === 'draft')
    throw invalidField('settle', 'payment_link cannot be used for a draft: place it with a payment link');
  if (due <= 0)
    throw invalidField('settle', 'payment_link needs an amount due, but nothing is due: use none');
}

/** A draft is written anew: it holds nothing. */
async function redraft(ctx: Ctx, { before: { order }, draft, after }: Planned): Promise<Order> {
  const written = { ...after, version: order.version + 1, updatedAt: ctx.now() };
  await orders.rebuild(ctx, { ...draft, order: written }, 'draft');
  await orders.tellDraft(ctx, written, order);
  return written;
}

async function rewrite(ctx: Ctx, plan: Planned): Promise<Order> {
  const { before, draft, after } = plan;
  const had = new Map(before.items.map((one) => [one.id, one]));
  const stays = new Set(draft.items.map(({ id }) => id));
  const removed = before.items.filter(({ id }) => !stays.has(id));
  const isPlaced = before.order.placedAt !== null;
  if (isPlaced) await moveStock(ctx, plan);
  else await inventory.release(ctx, before.order.id);
  await orders.amend(ctx, before.order, {
    kept: draft.items.filter(({ id }) => had.has(id)),
    added: draft.items.filter(({ id }) => !had.has(id)),
    removed,
    adjustments: draft.adjustments,
  });
  if (!isPlaced)
    await inventory.reserve(ctx, before.order.id, wantedOf(draft.items), before.order.dueAt as string);
  await markOrdered(
    ctx,
    draft.items.flatMap(({ id, variantId }) => (had.has(id) || variantId === null ? [] : [variantId])),
  );
  await orders.note(ctx, before.order.id, { type: 'edit', data: changesOf(plan) });
  const written = await stored(ctx, before.order, after);
  await orders.orderEvents.tell(ctx, 'order.amended', written.id, {});
  return written;
}

/** Stores the amounts. An order that is paid with what it has got goes on, as with its last payment. */
async function stored(ctx: Ctx, before: Order, after: Order): Promise<Order> {
  const money = await payments.restated(ctx, after);
  if (before.placedAt !== null && before.paidAt === null && orders.settlement(money) <= 0)
    return payments.paid(ctx, await orders.write(ctx, before, after), money);
  const written = await orders.write(ctx, before, money);
  if (before.placedAt === null) await orders.tellDraft(ctx, written, before);
  else await orders.tell(ctx, 'order.updated', written, before);
  return written;
}

/** Units of each variant that are more or fewer than before. */
async function moveStock(ctx: Ctx, { before, draft }: Planned): Promise<void> {
  const delta = new Map<string, number>();
  const count = (items: readonly orders.OrderItem[], sign: 1 | -1) => {
    for (const { variantId, quantity } of items)
      if (variantId !== null) delta.set(variantId, (delta.get(variantId) ?? 0) + sign * quantity);
  };
  count(draft.items, 1);
  count(before.items, -1);
  const rows = [...delta].map(([variantId, quantity]) => ({ variantId, quantity }));
  const more = rows.filter(({ quantity }) => quantity > 0);
  const fewer = rows
    .filter(({ quantity }) => quantity < 0)
    .map((one) => ({ ...one, quantity: -one.quantity }));
  if (more.length > 0) await inventory.takeOut(ctx, before.order.id, more);
  if (fewer.length > 0) await inventory.putBack(ctx, before.order.id, fewer, 'cancellation');
}

/** What the history says of an edit. */
function changesOf({ before, draft, after }: Planned): Record<string, unknown> {
  const had = new Map(before.items.map((one) => [one.id, one]));
  const now = new Map(draft.items.map((one) => [one.id, one]));
  const lines = [...new Set([...had.keys(), ...now.keys()])].flatMap((id) => {
    const [old, one] = [had.get(id), now.get(id)];
    const isSame = old?.quantity === one?.quantity && old?.unitCents === one?.unitCents;
    const { sku } = (old ?? one) as orders.OrderItem;
    if (isSame) return [];
    return [
      {
        sku,
        quantity: [old?.quantity ?? 0, one?.quantity ?? 0],
        unit_cents: [old?.unitCents ?? null, one?.unitCents ?? null],
      },
    ];
  });
  return {
    lines,
    shipping_cents: [before.order.shippingCents, after.shippingCents],
    total_cents: [before.order.totalCents, after.totalCents],
  };
}
