/** What staff read before they end an order or decide on authorized money: what is, and what would be. */
import type { Ctx } from '#kernel/context.ts';
import * as orders from '../orders/index.ts';
import * as payments from '../payments/index.ts';
import { money, stateWords } from './words.ts';

const units = (count: number): string => `${count} ${count === 1 ? 'unit' : 'units'}`;

/** Before and after of cancelling an order. */
export async function cancelWords(ctx: Ctx, id: string): Promise<string[]> {
  const order = await orders.get(ctx, id);
  const items = await orders.itemsOf(ctx, order.id);
  const shipped = items.reduce((sum, { fulfilledQuantity }) => sum + fulfilledQuantity, 0);
  const left =
    shipped > 0 ? orders.leftToShip(items) : items.reduce((sum, { quantity }) => sum + quantity, 0);
  const { totalCents } = await payments.refundable(ctx, order);
  const paid = money(totalCents, order.currency);
  const now = `Now: ${stateWords(order.status)}, ${stateWords(order.paymentStatus)}, ${units(shipped)} shipped.`;
  return [
    shipped > 0
      ? `${now} Then: the ${units(left)} left to ship are canceled, and what was shipped stays.`
      : `${now} Then: canceled.`,
    ...(order.placedAt === null
      ? ['Reserved stock is released.']
      : [`Stock: ${units(left)} ${left === 1 ? 'comes' : 'come'} back, unless you choose no.`]),
    ...(totalCents > 0
      ? [
          shipped > 0
            ? `Money: with refund full, the payment for the ${units(left)} is refunded; otherwise nothing is.`
            : `Money: with refund full, ${paid} is refunded; otherwise only gift card payments are.`,
        ]
      : ['Money: nothing was paid.']),
    'A canceled order cannot be reopened. To undo this, create a new order.',
  ];
}

/** Before and after of taking authorized money. */
export async function captureWords(ctx: Ctx, id: string): Promise<string[]> {
  const held = await heldBy(ctx, id);
  return held === null
    ? []
    : [
        `Now: ${held} is authorized. Then: the amount that you enter, or all of it, is charged to the customer.`,
        'The rest of the authorization is released. To undo this, refund the payment.',
      ];
}

/** Before and after of giving authorized money up. */
export async function voidWords(ctx: Ctx, id: string): Promise<string[]> {
  const held = await heldBy(ctx, id);
  return held === null
    ? []
    : [
        `Now: ${held} is authorized. Then: none of it can be charged, and the order is unpaid.`,
        'To undo this, send a payment link so that the customer pays again.',
      ];
}

async function heldBy(ctx: Ctx, id: string): Promise<string | null> {
  const payment = await payments.findPayment(ctx, id);
  return payment && money(payment.authorizedCents, payment.currency);
}
