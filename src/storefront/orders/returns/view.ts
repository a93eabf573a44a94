import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import * as orders from '../orders/index.ts';
import { type Refund, refundsOf } from '../payments/index.ts';
import { RefundView, refundView } from '../payments/view.ts';
import { itemsOfRows, type ReturnOf } from './queries.ts';
import {
  CONDITIONS,
  RESOLUTIONS,
  RETURN_STATES,
  type Return,
  type ReturnItem,
  type ReturnMessage,
  type ReturnReason,
} from './record.ts';
import * as repo from './repository.ts';
import { allowedIn } from './states.ts';

const maybe = () => z.string().nullable();

const ReturnItemView = later(() =>
  z
    .object({
      id: z.string(),
      order_item_id: z.string(),
      sku: z.string(),
      title: z.string(),
      variant_title: maybe(),
      quantity: count(),
      approved_quantity: count(),
      received_quantity: count(),
      reason_id: z.string(),
      reason: z.string(),
      note: maybe(),
      media_ids: z.array(z.string()),
      condition: z.enum(CONDITIONS).nullable(),
      restock: z.boolean(),
      refund_cents: count().describe('Value of its units, before a restocking fee'),
    })
    .meta({ id: 'ReturnItem' }),
);

export const ReturnMessageView = later(() =>
  z
    .object({
      id: z.string(),
      author_type: z.enum(['customer', 'staff', 'system']),
      author: maybe(),
      body: z.string(),
      media_ids: z.array(z.string()),
      internal: z.boolean(),
      created_at: z.string(),
    })
    .meta({ id: 'ReturnMessage' }),
);

const summary = {
  id: z.string(),
  return_number: z.string(),
  order_id: z.string(),
  order_number: maybe(),
  status: z.enum(RETURN_STATES),
  resolution: z.enum(RESOLUTIONS),
  outcome: z.enum(['refund', 'exchange', 'none']).nullable().describe('null until it is completed'),
  currency: z.string(),
  items: z.array(ReturnItemView),
  exchange_variant_id: maybe(),
  exchange_order_number: maybe(),
  instructions: maybe(),
  label_url: maybe(),
  has_label: z.boolean().describe('A label was uploaded; it is on the return page'),
  carrier: maybe(),
  tracking_number: maybe(),
  end_reason: maybe().describe('Why it was rejected, canceled, or closed without a refund'),
  restocking_fee_cents: count(),
  return_by: maybe(),
  requested_at: z.string(),
  approved_at: maybe(),
  received_at: maybe(),
  closed_at: maybe(),
  created_at: z.string(),
  updated_at: z.string(),
};

const ReturnRefundView = later(() =>
  RefundView.pick({
    id: true,
    refund_number: true,
    status: true,
    amount_cents: true,
    to: true,
    created_at: true,
  }).meta({ id: 'ReturnRefund' }),
);

/** A return as its customer and the receivers of webhooks get it. */
export const ReturnView = later(() =>
  z
    .object({
      ...summary,
      refund: ReturnRefundView.nullable().describe('The last refund for it'),
      refunds: z.array(ReturnRefundView),
      messages: z.array(ReturnMessageView),
    })
    .meta({ id: 'Return' }),
);
export type ReturnShown = z.output<typeof ReturnView>;

/** A line of the list of staff. */
export const StoreReturnSummaryView = z
  .object({ ...summary, email: z.string() })
  .meta({ id: 'StoreReturnSummary' });

/** A return as staff see it: with internal messages. */
export const StoreReturnView = later(() =>
  z
    .object({
      ...ReturnView.shape,
      email: z.string(),
      refunds: z.array(RefundView),
      refund: RefundView.nullable(),
      allowed: z.array(z.string()).describe('Available actions'),
    })
    .meta({ id: 'StoreReturn' }),
);
export type StoreReturnShown = z.output<typeof StoreReturnView>;
export type StoreReturnSummaryShown = z.output<typeof StoreReturnSummaryView>;

/** A return with what stands in it. */
export interface WholeReturn {
  readonly one: Return;
  readonly order: orders.Order;
  readonly items: readonly ReturnItem[];
  readonly lines: ReadonlyMap<string, orders.OrderItem>;
  readonly reasons: ReadonlyMap<string, ReturnReason>;
  readonly refunds: readonly Refund[];
  readonly messages: readonly ReturnMessage[];
  readonly exchangeNumber: string | null;
}

/** Reads what stands in a return. */
export async function wholeReturn(ctx: Ctx, one: Return): Promise<WholeReturn> {
  const [order, items, lines, reasons, refunds, messages, exchange] = await Promise.all([
    orders.findOrder(ctx, one.orderId),
    repo.itemsOf(ctx, one.id),
    orders.itemsOf(ctx, one.orderId),
    repo.listReasons(ctx),
    refundsOf(ctx, one.orderId),
    repo.messagesOf(ctx, one.id),
    one.exchangeOrderId === null ? null : orders.findOrder(ctx, one.exchangeOrderId),
  ]);
  return {
    one,
    order: order as orders.Order,
    items,
    lines: new Map(lines.map((line) => [line.id, line])),
    reasons: new Map(reasons.map((reason) => [reason.id, reason])),
    refunds: refunds.filter(({ returnId }) => returnId === one.id),
    messages,
    exchangeNumber: exchange?.orderNumber ?? null,
  };
}

export const messageView = (one: ReturnMessage): z.output<typeof ReturnMessageView> => ({
  id: one.id,
  author_type: one.authorType,
  author: one.author,
  body: one.body,
  media_ids: one.media,
  internal: one.isInternal,
  created_at: one.createdAt,
});

const itemView = (
  item: ReturnItem,
  line: Pick<orders.OrderItem, 'sku' | 'title' | 'variantTitle'> | undefined,
  reasons: ReadonlyMap<string, ReturnReason>,
): z.output<typeof ReturnItemView> => ({
  id: item.id,
  order_item_id: item.orderItemId,
  sku: line?.sku ?? '',
  title: line?.title ?? '',
  variant_title: line?.variantTitle ?? null,
  quantity: item.quantity,
  approved_quantity: item.approvedQuantity,
  received_quantity: item.receivedQuantity,
  reason_id: item.reasonId,
  reason: reasons.get(item.reasonId)?.label ?? '',
  note: item.note,
  media_ids: item.media,
  condition: item.condition,
  restock: item.restock,
  refund_cents: item.refundCents,
});

/** @param exchangeNumber of the order that replaces the goods */
const factsOf = (
  one: Return,
  order: Pick<orders.Order, 'orderNumber' | 'currency'>,
  exchangeNumber: string | null,
) => ({
  id: one.id,
  return_number: one.returnNumber,
  order_id: one.orderId,
  order_number: order.orderNumber,
  status: one.status,
  resolution: one.resolution,
  outcome: one.outcome,
  currency: order.currency,
  exchange_variant_id: one.exchangeVariantId,
  exchange_order_number: exchangeNumber,
  instructions: one.instructions,
  label_url: one.labelUrl,
  has_label: one.labelKey !== null,
  carrier: one.carrier,
  tracking_number: one.trackingNumber,
  end_reason: one.endReason,
  restocking_fee_cents: one.restockingFeeCents,
  return_by: one.returnBy,
  requested_at: one.requestedAt,
  approved_at: one.approvedAt,
  received_at: one.receivedAt,
  closed_at: one.closedAt,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});

const summaryOf = ({ one, order, exchangeNumber, items, lines, reasons }: WholeReturn) => ({
  ...factsOf(one, order, exchangeNumber),
  items: items.map((item) => itemView(item, lines.get(item.orderItemId), reasons)),
});

const briefRefund = (one: Refund): z.output<typeof ReturnRefundView> => ({
  id: one.id,
  refund_number: one.refundNumber,
  status: one.status,
  amount_cents: one.amountCents,
  to: one.to,
  created_at: one.createdAt,
});

export const returnView = (whole: WholeReturn): ReturnShown => {
  const refunds = whole.refunds.map(briefRefund);
  return {
    ...summaryOf(whole),
    refund: refunds.at(-1) ?? null,
    refunds,
    messages: whole.messages
      .filter(({ isInternal }) => !isInternal)
      .map((one) => ({ ...messageView(one), author: null })),
  };
};

/** Returns in the list of staff: what stands in all of them is asked for at once. */
export async function storeReturnSummaryViews(
  rows: readonly ReturnOf[],
  ctx: Ctx,
): Promise<StoreReturnSummaryShown[]> {
  const [items, reasons] = await Promise.all([
    itemsOfRows(
      ctx,
      rows.map(({ id }) => id),
    ),
    repo.listReasons(ctx),
  ]);
  const known = new Map(reasons.map((reason) => [reason.id, reason]));
  return rows.map((one) => {
    const own = items.filter(({ returnId }) => returnId === one.id);
    return {
      ...factsOf(one, one, one.exchangeOrderNumber),
      items: own.map((item) => itemView(item, item, known)),
      email: one.email,
    };
  });
}

export const storeReturnView = async (one: Return, ctx: Ctx): Promise<StoreReturnShown> => {
  const whole = await wholeReturn(ctx, one);
  const refunds = whole.refunds.map(refundView);
  return {
    ...summaryOf(whole),
    email: whole.order.email,
    refund: refunds.at(-1) ?? null,
    refunds,
    messages: whole.messages.map(messageView),
    allowed: allowedIn(one.status),
  };
};
