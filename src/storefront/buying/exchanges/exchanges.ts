import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import type { Address } from '#storefront/contract/address.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import { buyerOf } from '#storefront/people/groups/index.ts';
import { type Draftable, newLine, plainAddress, priced, writePlaced } from '../staff-orders/index.ts';

/** What goes out in place of what came back. */
export interface Replacement {
  readonly variantId: string;
  readonly quantity: number;
}

/** What an exchange comes to. */
export interface ExchangeReckoning {
  /** What came back is worth, and what of it pays for the new goods, in the prices of the order. */
  readonly worthCents: number;
  readonly usedCents: number;
  /** Still to be paid for the new goods, tax included. */
  readonly dueCents: number;
  /** Goes back as money. */
  readonly restCents: number;
  readonly currency: string;
}

interface Priced {
  readonly one: Draftable;
  readonly reckoning: ExchangeReckoning;
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

/**
 * Prices the new goods as they cost now, less what came back: that is taken off them before tax, since its tax was paid with
 * the first order (storefront-domain 6.5).
 */
async function pricedFor(
  ctx: Ctx,
  worth: returns.ExchangeWorth,
  items: readonly Replacement[],
): Promise<Priced> {
  const { order, one, grossCents, priceCents } = worth;
  const { shipping, billing } = await orders.whole(ctx, order);
  const buyer = await buyerOf(ctx, order.customerId);
  const lines = await Promise.all(items.map((item, at) => newLine(ctx, item, `items.${at}`, buyer)));
  const plain = (address: orders.OrderAddress | null): Address | null => address && plainAddress(address);
  const draft: Draftable = {
    customerId: order.customerId,
    email: order.email,
    phone: order.phone,
    locale: order.locale,
    shipping: plain(shipping),
    billing: plain(billing),
    methodId: null,
    note: null,
    codes: [],
    manual: [],
    lines,
    terms: { shippingCents: 0, met: null, includesTax: order.pricesIncludeTax },
    currency: order.currency,
  };
  const whole = await priced(ctx, draft);
  const { subtotalCents, itemDiscountCents, orderDiscountCents } = whole.price.totals;
  const usedCents = Math.min(priceCents, subtotalCents - itemDiscountCents - orderDiscountCents);
  const manual = usedCents === 0 ? [] : [{ label: `Return ${one.returnNumber}`, amountCents: usedCents }];
  const less = { ...draft, manual };
  const { price } = await priced(ctx, less);
  const restCents =
    priceCents === 0 ? 0 : grossCents - Number((BigInt(grossCents) * BigInt(usedCents)) / BigInt(priceCents));
  const { currency } = order;
  return {
    one: less,
    reckoning: { worthCents: priceCents, usedCents, dueCents: price.totals.dueCents, restCents, currency },
  };
}

function requireItems(items: readonly Replacement[]): void {
  if (sum(items.map(({ quantity }) => quantity)) === 0)
    throw invalidField('items', 'add at least one item to send');
}

/** What an exchange would come to; nothing is written. @throws AppError as `exchange` */
export async function previewExchange(
  ctx: Ctx,
  idOrNumber: string,
  items: readonly Replacement[],
): Promise<ExchangeReckoning> {
  requireItems(items);
  const worth = await returns.worthFor(ctx, idOrNumber);
  return (await pricedFor(ctx, worth, items)).reckoning;
}

/**
 * Replaces what came back with other goods: a new order, paid with what the returned units cost. A difference is asked for by
 * a payment link, or goes back as money. The return is completed in the same transaction (decision 0085).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, OUT_OF_STOCK, REFUND_TOO_LARGE, or
 *   PAYMENT_UNAVAILABLE where a difference could not be paid
 */
export async function exchange(
  ctx: Ctx,
  idOrNumber: string,
  items: readonly Replacement[],
): Promise<{ one: returns.Return; order: orders.Order }> {
  requireItems(items);
  const made = await ctx.tx(async (ctx) => {
    const worth = await returns.takeWorth(ctx, idOrNumber);
    const { one, reckoning } = await pricedFor(ctx, worth, items);
    const payment = reckoning.dueCents > 0 ? 'link' : 'offline';
    const { order } = await writePlaced(ctx, one, 'exchange', payment);
    const about = { exchangeOrderId: order.id, restCents: reckoning.restCents };
    const { refunds } = await returns.exchanged(ctx, worth, about);
    return { order, refunds, id: worth.one.id };
  });
  for (const { id } of made.refunds) await payments.sendRefund(ctx, id);
  const order = await orders.completePaid(ctx, made.order);
  return { one: await returns.get(ctx, made.id), order };
}
