import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ORDER_EVENT_TYPES, type OrderEvent } from '../orders/index.ts';
import {
  OrderSummaryView,
  OrderView,
  orderSummaryView,
  orderView,
  ParcelView,
  parcelView,
} from '../orders/view.ts';
import type { Payment, Refund } from '../payments/index.ts';
import { PaymentView, RefundView } from '../payments/view.ts';
import type { ShopperOrder, Tracked } from './shopper-orders.ts';

/** A payment without anything of the processor's (storefront-settled Z14). */
const PaidView = later(() =>
  PaymentView.pick({
    id: true,
    kind: true,
    method_label: true,
    status: true,
    amount_cents: true,
    captured_cents: true,
    refunded_cents: true,
    created_at: true,
  }).meta({ id: 'ShopperPayment' }),
);

const BackView = later(() =>
  RefundView.pick({
    id: true,
    refund_number: true,
    status: true,
    amount_cents: true,
    to: true,
    created_at: true,
  }).meta({ id: 'ShopperRefund' }),
);

/** What is public of the history: of the data of a line only what a shopper understands. */
const StepView = later(() =>
  z
    .object({
      id: z.string(),
      type: z.enum(ORDER_EVENT_TYPES),
      from: z.string().nullable(),
      to: z.string().nullable(),
      body: z.string().nullable().describe('Text of a staff note to the customer'),
      status: z.string().nullable().describe('Of the related payment, refund or shipment'),
      number: z.string().nullable().describe('Of the related refund or shipment'),
      amount_cents: count().nullable(),
      created_at: z.string(),
    })
    .meta({ id: 'ShopperOrderEvent' }),
);

export const ShopperOrderView = later(() =>
  z
    .object({
      ...OrderView.shape,
      payments: z.array(PaidView),
      refunds: z.array(BackView),
      events: z.array(StepView),
      actions: z.object({ can_cancel: z.boolean(), can_pay: z.boolean(), can_return: z.boolean() }),
    })
    .meta({ id: 'ShopperOrder' }),
);

export const TrackedView = later(() =>
  z
    .object({ ...OrderSummaryView.shape, shipments: z.array(ParcelView), events: z.array(StepView) })
    .meta({ id: 'TrackedOrder' }),
);

const paidView = (one: Payment): z.output<typeof PaidView> => ({
  id: one.id,
  kind: one.kind,
  method_label: one.methodLabel,
  status: one.status,
  amount_cents: one.amountCents,
  captured_cents: one.capturedCents,
  refunded_cents: one.refundedCents,
  created_at: one.createdAt,
});

const backView = (one: Refund): z.output<typeof BackView> => ({
  id: one.id,
  refund_number: one.refundNumber,
  status: one.status,
  amount_cents: one.amountCents,
  to: one.to,
  created_at: one.createdAt,
});

const textIn = (data: OrderEvent['data'], name: string): string | null =>
  typeof data[name] === 'string' ? data[name] : null;

/** What a line of the history says, apart from its words. */
export const stepView = (one: OrderEvent): z.output<typeof StepView> => ({
  id: one.id,
  type: one.type,
  from: one.from,
  to: one.to,
  body: one.type === 'note' ? one.body : null,
  status: textIn(one.data, 'status'),
  number: textIn(one.data, 'number'),
  amount_cents: typeof one.data.amount_cents === 'number' ? one.data.amount_cents : null,
  created_at: one.createdAt,
});

export const shopperOrderView = (shown: ShopperOrder): z.output<typeof ShopperOrderView> => ({
  ...orderView(shown.whole, shown.delivered),
  payments: shown.payments.map(paidView),
  refunds: shown.refunds.map(backView),
  events: shown.history.map(stepView),
  actions: {
    can_cancel: shown.actions.canCancel,
    can_pay: shown.actions.canPay,
    can_return: shown.actions.canReturn,
  },
});

export const trackedView = ({ order, parcels, history }: Tracked): z.output<typeof TrackedView> => ({
  ...orderSummaryView(order),
  shipments: parcels.map(parcelView),
  events: history.map(stepView),
});
