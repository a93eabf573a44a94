import type { Ctx } from '#kernel/context.ts';
import { takeNumber } from '#kernel/db/counters.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as orders from '../orders/index.ts';
import { buyerOf, invoiceContent } from './content.ts';
import { creditContent, type Refunded } from './credit-content.ts';
import type { Invoice } from './record.ts';
import * as repo from './repository.ts';

type Facts = Pick<Invoice, 'orderId' | 'kind' | 'refundId' | 'content' | 'buyer'>;

const series = {
  invoice: ['INV', 'shop_invoice_number'],
  credit_note: ['CN', 'shop_credit_note_number'],
} as const;

/** Takes the number last: its row is locked until the transaction ends, and a rollback gives the number back. */
async function issued(ctx: Ctx, facts: Facts): Promise<Invoice> {
  const [prefix, counter] = series[facts.kind];
  const now = ctx.now();
  const one: Invoice = {
    id: ctx.newId(ids.invoice),
    ...facts,
    invoiceNumber: `${prefix}${await takeNumber(ctx, counter)}`,
    issuedAt: now,
    createdAt: now,
  };
  await repo.insertInvoice(ctx, one);
  return one;
}

export const invoiceIn = (all: readonly Invoice[]): Invoice | undefined =>
  all.find(({ kind }) => kind === 'invoice');

/**
 * Issues the invoice of an order, in the transaction that places it and has locked it: an order has one, and what it says
 * stays as it is (decision 0065).
 */
export async function issueInvoice(ctx: Ctx, order: orders.Order): Promise<Invoice> {
  const known = invoiceIn(await repo.documentsOf(ctx, order.id));
  if (known) return known;
  const whole = await orders.whole(ctx, order);
  const giftCards = await repo.giftCardsOf(ctx, order.id);
  return issued(ctx, {
    orderId: order.id,
    kind: 'invoice',
    refundId: null,
    content: invoiceContent(ctx, whole, giftCards),
    buyer: buyerOf(whole),
  });
}

/** Issues the credit note of a refund, in the transaction that has locked its order and in which the money went back. */
export async function issueCreditNote(ctx: Ctx, order: orders.Order, refund: Refunded): Promise<Invoice> {
  const invoice = await issueInvoice(ctx, order);
  const notes = (await repo.documentsOf(ctx, order.id)).filter(({ kind }) => kind === 'credit_note');
  const known = notes.find(({ refundId }) => refundId === refund.id);
  if (known) return known;
  const whole = await orders.whole(ctx, order);
  return issued(ctx, {
    orderId: order.id,
    kind: 'credit_note',
    refundId: refund.id,
    content: creditContent(ctx, whole, { invoice, notes }, refund),
    buyer: invoice.buyer,
  });
}
