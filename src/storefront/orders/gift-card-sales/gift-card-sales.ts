import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import * as orders from '../orders/index.ts';

/** Units of a line that go back. */
interface Part {
  readonly orderItemId: string;
  readonly quantity: number;
}

type Item = orders.OrderItem;

const isCard = ({ type, giftCardData }: Item): boolean => type === 'gift_card' && giftCardData !== null;

const cardsOf = (ctx: Ctx, items: readonly Item[]): Promise<giftCards.GiftCard[]> =>
  items.length === 0
    ? Promise.resolve([])
    : giftCards.listOfItems(
        ctx,
        items.map(({ id }) => id),
      );

/**
 * Issues the gift cards of a paid order, one for each unit, in the transaction that has locked it: whoever is to get one is
 * mailed its code at once, or at the time that was chosen (storefront-domain 6.8). Cards that it has already are left.
 */
export async function issueBought(ctx: Ctx, orderId: string): Promise<void> {
  const items = (await orders.itemsOf(ctx, orderId)).filter(isCard);
  const order = items.length === 0 ? null : await orders.lockOrder(ctx, orderId);
  if (!order) return;
  const had = await cardsOf(ctx, items);
  for (const item of items) {
    const own = had.filter(({ orderItemId }) => orderItemId === item.id).length;
    for (let missing = item.quantity - item.cancelledQuantity - own; missing > 0; missing--)
      await issueOne(ctx, order, item);
  }
}

async function issueOne(ctx: Ctx, order: orders.Order, { id, giftCardData }: Item): Promise<void> {
  if (giftCardData === null) return;
  const { amountCents, recipientEmail, recipientName, senderName, message, sendAt } = giftCardData;
  await giftCards.issue(ctx, {
    amountCents,
    currency: order.currency,
    state: 'pending',
    orderItemId: id,
    orderId: order.id,
    purchaserCustomerId: order.customerId,
    // Who names nobody gets the code for himself.
    recipientEmail: recipientEmail ?? order.email,
    recipientName,
    senderName,
    message,
    sendAt,
    locale: order.locale,
  });
}

const used = (title: string, unused: number) =>
  fail(
    'VALIDATION_ERROR',
    `${title}: ${unused === 0 ? 'no gift card of it is' : `only ${unused} of its gift cards are`} unused. A gift card can only be refunded while it is unused`,
    { details: { reason: 'REFUND_TOO_LARGE', refundable_quantity: unused } },
  );

/**
 * The gift cards of a line that are to be taken back, those that were never delivered first, so that as many are as units
 * of it were refunded. Those of a cancelled order were taken back already.
 *
 * @param refunded units of the line, with those that go back now
 * @throws AppError VALIDATION_ERROR, reason REFUND_TOO_LARGE, when fewer are unused
 */
function toWithdraw(cards: readonly giftCards.GiftCard[], { id, title }: Item, refunded: number) {
  const own = cards.filter(({ orderItemId }) => orderItemId === id);
  const wanted = refunded - own.filter(giftCards.isWithdrawn).length;
  const unused = own
    .filter(giftCards.isUnused)
    .toSorted((one, other) => Number(one.deliveredAt !== null) - Number(other.deliveredAt !== null));
  if (unused.length < wanted) throw used(title, unused.length);
  return unused.slice(0, Math.max(0, wanted));
}

const quantityOf = ({ id }: Item, parts: readonly Part[]): number =>
  parts.find(({ orderItemId }) => orderItemId === id)?.quantity ?? 0;

/**
 * Demands that as many gift cards of a line are unused as are to go back; lines of other goods pass.
 *
 * @throws AppError VALIDATION_ERROR, reason REFUND_TOO_LARGE
 */
export async function requireUnused(ctx: Ctx, items: readonly Item[], parts: readonly Part[]): Promise<void> {
  const sold = items.filter((item) => isCard(item) && quantityOf(item, parts) > 0);
  const cards = await cardsOf(ctx, sold);
  for (const item of sold) toWithdraw(cards, item, item.refundedQuantity + quantityOf(item, parts));
}

/**
 * Takes back the gift cards of lines of which units were just taken for a refund, before the money goes: nobody spends them
 * meanwhile.
 *
 * @throws AppError as `requireUnused`
 */
export async function withdrawFor(
  ctx: Ctx,
  orderId: string,
  refundId: string,
  parts: readonly Part[],
): Promise<void> {
  const items = (await orders.itemsOf(ctx, orderId)).filter(
    (item) => isCard(item) && quantityOf(item, parts) > 0,
  );
  const cards = await cardsOf(ctx, items);
  for (const item of items)
    for (const { id } of toWithdraw(cards, item, item.refundedQuantity))
      await giftCards.withdraw(ctx, { giftCardId: id, orderId, refundId });
}

/** Takes back every gift card of an order that is cancelled. @throws AppError as `requireUnused` */
export async function withdrawAll(ctx: Ctx, orderId: string, items: readonly Item[]): Promise<void> {
  const sold = items.filter(isCard);
  for (const card of await cardsOf(ctx, sold)) {
    if (giftCards.isWithdrawn(card)) continue;
    if (!giftCards.isUnused(card))
      throw used(sold.find(({ id }) => id === card.orderItemId)?.title ?? 'gift card', 0);
    await giftCards.withdraw(ctx, { giftCardId: card.id, orderId });
  }
}

/** The processor refused a refund: the gift cards that were taken back for it are worth what they were. */
export async function reinstateOf(ctx: Ctx, orderId: string, refundId: string): Promise<void> {
  for (const giftCardId of await giftCards.listWithdrawnFor(ctx, refundId))
    await giftCards.reinstate(ctx, { giftCardId, orderId, refundId });
}
