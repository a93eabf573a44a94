import type { Ctx } from '#kernel/context.ts';
import { takeNumber } from '#kernel/db/counters.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as orders from '../orders/index.ts';
import { buyerOf, invoiceContent, sumOf } from './content.ts';
import { creditContent, type Refunded, wholeCredit } from './credit-content.ts';
import type { Invoice, IssuedContent } from './record.ts';
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

/** The invoice that holds: the last one, where an order was edited. */
export const invoiceIn = (all: readonly Invoice[]): Invoice | undefined =>
  all.findLast(({ kind }) => kind === 'invoice');

/**
 * Issues the invoice of an order, in the transaction that places it and has locked it. What it says stays as it is
 * (decision 0065).
 *
 * @param seen the order with its parts, where they were read already
 */
export async function issueInvoice(
  ctx: Ctx,
  order: orders.Order,
  seen?: orders.WholeOrder,
): Promise<Invoice> {
  return invoiceIn(await repo.documentsOf(ctx, order.id)) ?? newInvoice(ctx, order, seen);
}

/**
 * Takes the invoice of an order back with a credit note and issues another one, in the transaction that has edited the
 * order. Without an invoice, or where another one would say the same, nothing is issued.
 */
export async function correctInvoice(ctx: Ctx, order: orders.Order): Promise<void> {
  const before = invoiceIn(await repo.documentsOf(ctx, order.id));
  if (!before) return;
  const whole = await orders.whole(ctx, order);
  if (isSame(before.content, invoiceContent(ctx, whole, before.content.giftCards))) return;
  await takenBack(ctx, whole, before);
  await newInvoice(ctx, order);
}

/** Takes the invoice of an order back with a credit note, in the transaction that cancels it while nothing was paid of it. */
export async function takeInvoiceBack(ctx: Ctx, order: orders.Order): Promise<void> {
  const invoice = invoiceIn(await repo.documentsOf(ctx, order.id));
  if (invoice) await takenBack(ctx, await orders.whole(ctx, order), invoice);
}

const takenBack = (ctx: Ctx, whole: orders.WholeOrder, invoice: Invoice): Promise<Invoice> =>
  issued(ctx, {
    orderId: invoice.orderId,
    kind: 'credit_note',
    refundId: null,
    content: wholeCredit(ctx, whole, invoice),
    buyer: invoice.buyer,
  });

/** Whether the same was sold for the same amounts; what was paid of it since is no matter of the invoice. */
const isSame = (one: IssuedContent, other: IssuedContent): boolean =>
  JSON.stringify([one.lines, one.shippingCents, one.taxes, one.totalCents]) ===
  JSON.stringify([other.lines, other.shippingCents, other.taxes, other.totalCents]);

async function newInvoice(ctx: Ctx, order: orders.Order, seen?: orders.WholeOrder): Promise<Invoice> {
  const whole = seen ?? (await orders.whole(ctx, order));
  const giftCards = await repo.giftCardsOf(ctx, order.id);
  return issued(ctx, {
    orderId: order.id,
    kind: 'invoice',
    refundId: null,
    content: invoiceContent(ctx, whole, giftCards),
    buyer: buyerOf(whole),
  });
}

/**
 * Issues the credit note of a refund, in the transaction that has locked its order and in which the money went back.
 *
 * @returns null where the invoice was taken back already: the money came after the order was canceled
 */
export async function issueCreditNote(
  ctx: Ctx,
  order: orders.Order,
  refund: Refunded,
): Promise<Invoice | null> {
  const invoice = await issueInvoice(ctx, order);
  const notes = (await repo.documentsOf(ctx, order.id)).filter(
    ({ kind, content }) => kind === 'credit_note' && content.refersTo === invoice.invoiceNumber,
  );
  const known = notes.find(({ refundId }) => refundId === refund.id);
  if (known) return known;
  if (notes.length > 0 && sumOf(notes, ({ content }) => content.totalCents) >= invoice.content.totalCents)
    return null;
  const whole = await orders.whole(ctx, order);
  return issued(ctx, {
    orderId: order.id,
    kind: 'credit_note',
    refundId: refund.id,
    content: creditContent(ctx, whole, { invoice, notes }, refund),
    buyer: invoice.buyer,
  });
}
