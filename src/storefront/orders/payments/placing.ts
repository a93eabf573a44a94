import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { tellStaff } from '#platform/staff-mail/index.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import { offlinePaymentDays } from '#storefront/contract/payment-settings.ts';
import { countOrder } from '#storefront/people/customers/index.ts';
import * as promotions from '#storefront/pricing/promotions/index.ts';
import { issueInvoice } from '../documents/index.ts';
import { mailConfirmation } from '../mails/index.ts';
import * as orders from '../orders/index.ts';
import { spendHeld } from './gift-cards.ts';
import type { Payment } from './record.ts';
import * as repo from './repository.ts';
import { heldForReview, tellPaid } from './reviewing.ts';

type Order = orders.Order;

/** Takes the stock of an order for good: what was held, or anew what its hold has lost meanwhile (storefront-domain 8.8). */
async function takeStock(ctx: Ctx, order: Order): Promise<void> {
  const held = await inventory.consume(ctx, order.id);
  // All of it was held, as nearly always: its lines need not be read.
  if (held.reduce((sum, { quantity }) => sum + quantity, 0) === order.itemCount) return;
  const had = new Set(held.map(({ orderItemId }) => orderItemId));
  const items = await orders.itemsOf(ctx, order.id);
  const lost = items.flatMap(({ id, variantId, quantity }) =>
    variantId === null || had.has(id) ? [] : [{ orderItemId: id, variantId, quantity }],
  );
  if (lost.length === 0) return;
  const again = await inventory.reserve(ctx, order.id, lost, ctx.now());
  if (again.length > 0) await inventory.consume(ctx, order.id);
}

/**
 * Makes an order one for everybody, in the transaction that has its money or agreed to wait for it: stock, promotions and
 * gift cards that it holds are used up, and whoever listens is told.
 *
 * @param order locked; without a number it gets the next one
 * @param trigger `accept` when it is paid or nothing is due, `place_unpaid` when it is paid later
 * @throws AppError VALIDATION_ERROR, reason OUT_OF_STOCK, when its hold is over and somebody else has bought the goods
 */
export async function place(
  ctx: Ctx,
  order: Order,
  trigger: 'accept' | 'place_unpaid',
  changes: Partial<Order> = {},
): Promise<Order> {
  await takeStock(ctx, order);
  await promotions.use(ctx, order.id);
  const payments = await spendHeld(ctx, order.id);
  const now = ctx.now();
  const dueAt =
    trigger === 'accept' ? null : addSeconds(now, ctx.settings.get(offlinePaymentDays) * SECONDS_PER_DAY);
  const money = await restated(ctx, { ...order, ...changes }, payments);
  const isPaid = orders.settlement(money) <= 0;
  const orderNumber = order.orderNumber ?? (await orders.nextNumber(ctx));
  const moved = await orders.transition(
    ctx,
    order,
    trigger,
    { ...money, orderNumber, dueAt, placedAt: now, paidAt: isPaid ? now : null },
    { type: 'status', data: { placed: true }, visibleToCustomer: true },
  );
  // Before anybody hears of it: receivers of order.created must not ship it.
  let placed = trigger === 'accept' ? await heldForReview(ctx, moved) : moved;
  const { customerId, paidCents, giftCardCents, cartId } = placed;
  // None waits for another one: sent together, they hold the rows that everybody needs for a shorter time.
  const [owner] = await Promise.all([
    customerId === null ? null : countOrder(ctx, customerId, 1, paidCents + giftCardCents),
    orders.orderEvents.tell(ctx, 'order.placed', placed.id, { cartId }),
    writeTo(ctx, placed),
    // Of one in review staff were told already.
    placed.review !== 'waiting' && tellStaff(ctx, 'admin_new_order', placed.id),
  ]);
  // Somebody whom staff have merged into another one at this moment: the order goes where the others went.
  if (owner !== customerId) {
    await orders.giveTo(ctx, placed.id, owner);
    placed = { ...placed, customerId: owner };
  }
  if (isPaid) await tellPaid(ctx, placed);
  await orders.tell(ctx, 'order.created', placed, order);
  return placed;
}

/** What the customer gets of an order: the confirmation, and the invoice. */
async function writeTo(ctx: Ctx, placed: Order): Promise<void> {
  const whole = await orders.whole(ctx, placed);
  await Promise.all([mailConfirmation(ctx, placed, undefined, whole), issueInvoice(ctx, placed, whole)]);
}

/** An order with the amounts and the state that follow from its payments. @param known when they were just read */
export async function restated(ctx: Ctx, order: Order, known?: readonly Payment[]): Promise<Order> {
  const payments = known ?? (await repo.paymentsOf(ctx, order.id));
  const captured = (isGift: boolean) =>
    payments
      .filter(({ kind }) => (kind === 'gift_card') === isGift)
      .reduce((sum, { capturedCents }) => sum + capturedCents, 0);
  const money = { ...order, paidCents: captured(false), giftCardCents: captured(true) };
  return { ...money, paymentStatus: orders.paymentStatusOf(money, payments) };
}
