import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { documentsOf, type Invoice } from '../documents/index.ts';
import * as orders from '../orders/index.ts';
import { OrderSummaryView, OrderView, orderSummaryView, orderView } from '../orders/view.ts';
import * as payments from '../payments/index.ts';
import {
  eventView,
  OrderEventView,
  type RefundParts,
  StorePaymentView,
  StoreRefundView,
  storePaymentView,
  storeRefundView,
} from './part-views.ts';

const maybe = () => z.string().nullable();
type Order = orders.Order;

const Level = z.enum(orders.RISK_LEVELS);
const Review = z
  .enum(orders.REVIEW_STATES)
  .nullable()
  .describe('Review by staff before the order continues; null: not needed');

/** An order in the list of staff. */
export const StoreOrderSummaryView = later(() =>
  z
    .object({
      ...OrderSummaryView.shape,
      email: z.string(),
      customer_id: maybe(),
      processor: maybe(),
      source: OrderView.shape.source,
      tags: z.array(z.string()),
      is_risky: z.boolean().describe('Needs attention before it ships'),
      risk_level: Level,
      review: Review,
      created_at: z.string(),
      updated_at: z.string(),
      version: count(),
    })
    .meta({ id: 'StoreOrderSummary' }),
);

const Actions = later(() =>
  z.object({
    can_cancel: z.boolean(),
    can_hold: z.boolean(),
    can_release: z.boolean(),
    can_review: z.boolean(),
    can_complete: z.boolean(),
    can_pay: z.boolean(),
    can_refund: z.boolean(),
  }),
);

const IssuedView = later(() =>
  z
    .object({
      number: z.string(),
      kind: z.enum(['invoice', 'credit_note']),
      issued_at: z.string(),
      total_cents: count(),
    })
    .meta({ id: 'OrderDocument' }),
);

const issuedView = ({ invoiceNumber, kind, issuedAt, content }: Invoice): z.output<typeof IssuedView> => ({
  number: invoiceNumber,
  kind,
  issued_at: issuedAt,
  total_cents: content.totalCents,
});

/** An order as staff see it: with its money, its history and what they know of it themselves. */
export const StoreOrderView = later(() =>
  z
    .object({
      ...OrderView.shape,
      customer_id: maybe(),
      shipping_method_id: maybe(),
      internal_note: maybe(),
      tags: z.array(z.string()),
      hold_reason: maybe(),
      is_risky: z.boolean(),
      risk_level: Level,
      review: Review,
      risk: z.object({
        score: count().describe('0 to 100: likelihood that the card is stolen'),
        level: Level,
        reasons: z.array(z.enum(orders.RISK_REASONS)).describe('Why it needs attention before it ships'),
        ip: maybe(),
        card_country: maybe(),
        country_mismatch: z.boolean().describe("The card's country differs from the billing address"),
        attempts: count().describe('Payments that failed'),
      }),
      cost_cents: z.int().nullable().describe('Cost of the items; null if it is not known for all'),
      payments: z.array(StorePaymentView),
      refunds: z.array(StoreRefundView),
      documents: z.array(IssuedView).describe('Invoices and credit notes, oldest first'),
      events: z.array(OrderEventView),
      actions: Actions,
    })
    .meta({ id: 'StoreOrder' }),
);
export type StoreOrderShown = z.output<typeof StoreOrderView>;
export type StoreOrderSummaryShown = z.output<typeof StoreOrderSummaryView>;

const isRisky = ({ risk }: Order): boolean => (risk?.reasons.length ?? 0) > 0;

export const storeOrderSummaryView = (order: Order): z.output<typeof StoreOrderSummaryView> => ({
  ...orderSummaryView(order),
  email: order.email,
  customer_id: order.customerId,
  processor: order.processor,
  source: order.source,
  tags: [...order.tags],
  is_risky: isRisky(order),
  risk_level: order.risk?.level ?? 'low',
  review: order.review,
  created_at: order.createdAt,
  updated_at: order.updatedAt,
  version: order.version,
});

/** An order with everything that belongs to it. */
export async function storeOrderView(order: Order, ctx: Ctx): Promise<StoreOrderShown> {
  const whole = await orders.whole(ctx, order);
  const paid = await payments.paymentsOf(ctx, order.id);
  const refunds = await payments.refundsOf(ctx, order.id);
  const parts = await refundPartsOf(ctx, order, refunds);
  const issued = await documentsOf(ctx, order.id);
  const history = await orders.historyOf(ctx, order.id);
  const costs = whole.items.map(({ costCents, quantity }) =>
    costCents === null ? null : costCents * quantity,
  );
  return {
    ...orderView(whole, await orders.deliveredOf(ctx, order)),
    customer_id: order.customerId,
    shipping_method_id: order.shippingMethodId,
    internal_note: order.internalNote,
    tags: [...order.tags],
    hold_reason: order.holdReason,
    is_risky: isRisky(order),
    risk_level: order.risk?.level ?? 'low',
    review: order.review,
    risk: {
      score: order.risk?.score ?? 0,
      level: order.risk?.level ?? 'low',
      reasons: [...(order.risk?.reasons ?? [])],
      ip: order.ip,
      card_country: order.risk?.cardCountry ?? null,
      country_mismatch: order.risk?.reasons.includes('country_mismatch') ?? false,
      attempts: paid.filter(({ status }) => status === 'failed').length,
    },
    cost_cents: costs.includes(null) ? null : costs.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    payments: paid.map(storePaymentView),
    refunds: refunds.map((one) => storeRefundView(one, parts)),
    documents: issued.map(issuedView),
    events: history.map(eventView),
    actions: actionsOf(order, whole.items, paid),
  };
}

/** What belongs to refunds of an order. */
export async function refundPartsOf(
  ctx: Ctx,
  { id, currency }: Pick<Order, 'id' | 'currency'>,
  refunds: readonly payments.Refund[],
): Promise<RefundParts> {
  const items = await payments.refundItemsOf(
    ctx,
    refunds.map((one) => one.id),
  );
  return { items, notes: refunds.length === 0 ? [] : await documentsOf(ctx, id), currency };
}

function actionsOf(
  order: Order,
  items: readonly orders.OrderItem[],
  paid: readonly payments.Payment[],
): z.output<typeof Actions> {
  const allowed = orders.allowedIn(order.status);
  const hasLeft = items.some(({ fulfilledQuantity }) => fulfilledQuantity > 0);
  const isLive = order.placedAt !== null && order.status !== 'cancelled';
  return {
    can_cancel: hasLeft
      ? order.status === 'processing' && orders.leftToShip(items) > 0
      : allowed.includes('cancel'),
    can_hold: allowed.includes('hold'),
    can_release: allowed.includes('release'),
    can_review: order.review === 'waiting',
    can_complete: allowed.includes('complete'),
    can_pay: isLive && orders.settlement(order) > 0,
    can_refund: paid.some(({ capturedCents, refundedCents }) => capturedCents > refundedCents),
  };
}
