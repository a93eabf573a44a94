import type { Ctx } from '#kernel/context.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { fail } from '#kernel/service/errors.ts';
import type { Address } from '#storefront/contract/address.ts';
import { ids } from '#storefront/contract/ids.ts';
import {
  fulfillmentStatusOf,
  MOST_CENTS,
  type Order,
  type OrderAddress,
  type OrderAdjustment,
  type OrderDraft,
  type OrderItem,
  type Risk,
  type TaxLine,
} from '#storefront/orders/orders/index.ts';
import type { CartPrice, PricedLine } from '../cart/index.ts';

/** What an order has beside what stands in its cart. */
export interface DraftFacts {
  /** Of an order of this cart that was not placed; otherwise the next ones. */
  readonly id: string;
  /** null: nobody but staff knows of it yet. */
  readonly orderNumber: string | null;
  readonly createdAt: string;
  readonly customerId: string | null;
  readonly email: string;
  readonly processor: string | null;
  /** Until when it has to be placed. */
  readonly dueAt: string | null;
  readonly risk: Risk | null;
}

/**
 * An order as it follows from a priced cart: everything that it says is copied, nothing refers to live goods.
 *
 * @throws AppError VALIDATION_ERROR for one that costs more than an order can
 */
export function draftOf(ctx: Ctx, priced: CartPrice, facts: DraftFacts): OrderDraft {
  requireAffordable(priced);
  const items = priced.lines.map((line, at) => itemOf(ctx, line, at, facts.id));
  return {
    order: orderOf(ctx, priced, facts, items),
    items,
    adjustments: adjustmentsOf(ctx, priced, facts.id, items),
    addresses: addressesOf(ctx, priced, facts.id),
  };
}

/** Sums stay exact, and an export can be imported again. */
function requireAffordable({ cart: { currency }, price: { totals } }: CartPrice): void {
  if (Math.max(totals.subtotalCents, totals.totalCents) <= MOST_CENTS) return;
  const most = moneyWords({ amountCents: MOST_CENTS, currency }, 'en');
  throw fail('VALIDATION_ERROR', `An order costs at most ${most}; order fewer items at a time`);
}

const taxLinesOf = (rates: PricedLine['rates'], parts: readonly number[]): TaxLine[] =>
  rates.map(({ name, ppm }, at) => ({ name, ppm, cents: parts[at] ?? 0 }));

function itemOf(
  ctx: Ctx,
  { line, unitCents, rates, price }: PricedLine,
  position: number,
  orderId: string,
): OrderItem {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.orderItem),
    orderId,
    variantId: line.variantId,
    productId: line.productId,
    sku: line.sku,
    title: line.productTitle,
    variantTitle: line.variantTitle === 'Default' ? null : line.variantTitle,
    slug: line.slug,
    type: line.type,
    unitCents,
    quantity: line.quantity,
    subtotalCents: price.subtotalCents,
    itemDiscountCents: price.itemDiscountCents,
    orderDiscountCents: price.orderDiscountCents,
    netCents: price.netCents,
    taxCents: price.taxCents,
    totalCents: price.totalCents,
    taxLines: taxLinesOf(rates, price.parts),
    costCents: line.costCents,
    giftCardData: line.giftCard,
    fulfilment: line.fulfilment,
    weightG: line.weightG,
    requiresShipping: line.requiresShipping,
    fulfilledQuantity: 0,
    cancelledQuantity: 0,
    returnRequestedQuantity: 0,
    returnedQuantity: 0,
    refundedQuantity: 0,
    refundedCents: 0,
    position,
    createdAt: now,
    updatedAt: now,
  };
}

function orderOf(ctx: Ctx, priced: CartPrice, facts: DraftFacts, items: readonly OrderItem[]): Order {
  const { cart, price, method } = priced;
  const { totals, shipping } = price;
  const now = ctx.now();
  return {
    ...facts,
    phone: cart.phone,
    status: 'pending',
    paymentStatus: totals.totalCents === 0 ? 'paid' : 'unpaid',
    fulfillmentStatus: fulfillmentStatusOf(items),
    currency: cart.currency,
    locale: cart.locale ?? 'en',
    pricesIncludeTax: priced.includesTax,
    itemCount: items.reduce((sum, { quantity }) => sum + quantity, 0),
    subtotalCents: totals.subtotalCents,
    itemDiscountCents: totals.itemDiscountCents,
    orderDiscountCents: totals.orderDiscountCents,
    loyaltyDiscountCents: totals.loyaltyDiscountCents,
    shippingCents: shipping.priceCents,
    shippingDiscountCents: shipping.discountCents,
    taxCents: totals.taxCents,
    shippingTaxCents: shipping.taxCents,
    shippingTaxLines: taxLinesOf(priced.shippingRates, shipping.parts),
    totalCents: totals.totalCents,
    giftCardCents: 0,
    paidCents: 0,
    refundedCents: 0,
    shippingRefundedCents: 0,
    shippingMethodId: method?.method.id ?? null,
    shippingMethodName: method?.method.name ?? null,
    source: 'web',
    cartId: cart.id,
    note: cart.note,
    giftMessage: cart.giftMessage,
    internalNote: null,
    tags: [],
    ip: ctx.origin.ip,
    userAgent: ctx.origin.userAgent?.slice(0, 300) ?? null,
    placedAt: null,
    paidAt: null,
    cancelledAt: null,
    cancelReason: null,
    completedAt: null,
    holdReason: null,
    returnStatus: 'none',
    review: null,
    version: 1,
    updatedAt: now,
  };
}

/** One row for each promotion and line, and one for shipping: together they are all discounts. */
function adjustmentsOf(
  ctx: Ctx,
  { price }: CartPrice,
  orderId: string,
  items: readonly OrderItem[],
): OrderAdjustment[] {
  const createdAt = ctx.now();
  return price.applied.flatMap(({ promotion, code, lines, shippingCents }) => {
    const row = (orderItemId: string | null, amountCents: number): OrderAdjustment[] =>
      amountCents === 0
        ? []
        : [
            {
              id: ctx.newId(ids.orderAdjustment),
              orderId,
              orderItemId,
              kind: 'promotion',
              promotionId: promotion.id,
              code,
              label: promotion.name,
              amountCents,
              createdAt,
            },
          ];
    return [...lines.flatMap((cents, at) => row(items[at]?.id ?? null, cents)), ...row(null, shippingCents)];
  });
}

function addressesOf(ctx: Ctx, { cart, needsShipping }: CartPrice, orderId: string): OrderAddress[] {
  const shipping = needsShipping ? cart.shippingAddress : null;
  const billing = cart.billingAddress ?? cart.shippingAddress;
  return [...addressRow(ctx, orderId, 'shipping', shipping), ...addressRow(ctx, orderId, 'billing', billing)];
}

/** An address as an order keeps it. */
export function addressRow(
  ctx: Ctx,
  orderId: string,
  kind: OrderAddress['kind'],
  address: Address | null,
): OrderAddress[] {
  const now = ctx.now();
  if (!address) return [];
  return [{ id: ctx.newId(ids.orderAddress), orderId, kind, ...address, createdAt: now, updatedAt: now }];
}
