import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { amountIn } from '#storefront/contract/amount.ts';
import * as orders from '../orders/index.ts';
import * as payments from '../payments/index.ts';
import { REFUND_TO } from '../payments/index.ts';
import { requireRefunder } from './desk.ts';
import { orderPath, orRefused } from './refused.ts';
import { RefundCreate } from './schemas.ts';
import { money, refundToWords } from './words.ts';

/** As it is typed: each line of the order has a field of the same name. */
const RefundForm = later(() =>
  z.object({
    once: text({ max: 64 }),
    item: z.array(text({ max: 30 })).max(500),
    quantity: z.array(text({ max: 4, trim: true })).max(500),
    shipping: text({ max: 30, trim: true }),
    adjustment: text({ max: 30, trim: true }),
    to: oneOf(REFUND_TO),
    restock: oneOf(['no', 'yes']),
    notify: oneOf(['yes', 'no']),
    reason: text({ max: 500, trim: true }),
    do: optional(oneOf(['check', 'apply'])),
  }),
);
type Sent = z.output<typeof RefundForm>;

const WAYS = REFUND_TO.map((way) => [way, refundToWords(way)] as const);

/** What the form shows: what is left to refund of each line, of shipping and of the payments. */
async function modelOf(ctx: Ctx, order: orders.Order, values: Partial<Sent> = {}) {
  const left = await payments.refundable(ctx, order);
  const words = (cents: number) => money(cents, order.currency);
  const byHand = left.payments.filter(({ payment }) => payment.kind === 'offline');
  return {
    byHand: byHand.length === 0 ? null : words(byHand.reduce((sum, one) => sum + one.amountCents, 0)),
    byHandMethods: byHand.map(({ payment }) => payment.methodLabel ?? 'hand').join(', '),
    action: `${orderPath(order.id)}/refund`,
    after: orderPath(order.id),
    number: order.orderNumber ?? order.id,
    currency: order.currency,
    once: ctx.newId('frm'),
    ways: WAYS,
    items: left.items
      .filter(({ quantity }) => quantity > 0)
      .map(({ item, quantity, amountCents }) => ({
        id: item.id,
        sku: item.sku,
        title: item.title,
        quantity,
        amount: words(amountCents),
      })),
    shipping: words(left.shippingCents),
    values,
    preview: null as object | null,
  };
}

/** An amount of a field; empty is none. @throws a refusal of the form */
function centsIn(field: 'shipping' | 'adjustment', sent: Sent, currency: string): number {
  const typed = sent[field];
  if (typed === '') return 0;
  const read = amountIn(typed, currency);
  if ('fault' in read) throw refuseForm('The refund was not created', { [field]: read.fault });
  return read.value;
}

function inputOf(order: orders.Order, sent: Sent): z.output<typeof RefundCreate> {
  const wanted = sent.item.flatMap((orderItemId, at) => {
    const typed = sent.quantity[at] ?? '';
    return typed === '' || typed === '0' ? [] : [{ orderItemId, quantity: Number(typed) }];
  });
  const { success, data, error } = RefundCreate.safeParse({
    items: wanted,
    shippingCents: centsIn('shipping', sent, order.currency),
    adjustmentCents: centsIn('adjustment', sent, order.currency),
    to: sent.to,
    restock: sent.restock === 'yes',
    notify: sent.notify === 'yes',
    reason: sent.reason,
  });
  if (success) return data;
  const faults = error.issues.map(({ path: [name], message }) => [
    name === 'items' ? 'quantity' : String(name).replace(/Cents$/, ''),
    message,
  ]);
  throw refuseForm('The refund was not created', Object.fromEntries(faults));
}

/** What staff have to pay back themselves; null where processors and gift cards do all of it. */
async function taskOf(ctx: Ctx, order: orders.Order, made: readonly payments.Refund[]) {
  const held = await payments.paymentsOf(ctx, order.id);
  const byHand = made.filter(
    ({ paymentId, to, status }) =>
      status === 'succeeded' &&
      payments.refundWay(held.find(({ id }) => id === paymentId) ?? null, to) === 'by_hand',
  );
  if (byHand.length === 0) return null;
  const amountCents = byHand.reduce((sum, one) => sum + one.amountCents, 0);
  return {
    numbers: byHand.map(({ refundNumber }) => refundNumber).join(', '),
    order: order.orderNumber ?? order.id,
    amount: money(amountCents, order.currency),
    email: order.email,
  };
}

/** Gives money back: first what would go back and what is left then, then the refund, once for each form. */
export const refundPage: Page = page({
  path: '/store/orders/{id}/refund',
  title: 'Refund',
  audience: { staff: 'orders:refund' },
  layout: PANEL,
  help: 'work-on-orders',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: RefundForm,
  show: async (ctx, { params: { id } }) =>
    show('store/order-refund', await modelOf(ctx, await orders.get(ctx, id))),
  async submit(ctx, { params: { id }, form }) {
    requireRefunder(ctx);
    const order = await orders.get(ctx, id);
    const input = inputOf(order, form);
    if (form.do === 'apply') {
      const made = await orRefused(
        () => payments.refund(ctx, order.id, { ...input, key: form.once }),
        'reason',
      );
      const task = await taskOf(ctx, order, made);
      const after = `${orderPath(order.id)}?tab=refunds`;
      return task === null ? goTo(after) : show('store/order-refund-task', { ...task, after });
    }
    const { amountCents, leftCents, byHandCents } = await orRefused(
      () => payments.previewRefund(ctx, order, input),
      'reason',
    );
    const words = (cents: number) => money(cents, order.currency);
    const preview = {
      before: words(leftCents),
      amount: words(amountCents),
      after: words(leftCents - amountCents),
      byHand: byHandCents > 0 ? words(byHandCents) : null,
      reason: input.reason,
      to: WAYS.find(([way]) => way === input.to)?.[1] ?? '',
    };
    return show('store/order-refund', { ...(await modelOf(ctx, order, form)), preview });
  },
});
