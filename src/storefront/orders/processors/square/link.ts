/** Payments on Square's own page: a link with an order, which becomes a payment when somebody pays. */
import type { SquareClient } from 'square';
import type { Outcome, PayRequest, ProcessorCtx } from '../contract.ts';
import { outcomeOf } from '../outcome.ts';
import { redacted } from '../redact.ts';
import { locationOf } from './client.ts';
import { askedOf, moneyOf, outcomeOfPayment } from './outcome.ts';

/** The link and its order as one transaction, until there is a payment. */
const PREFIX = 'link';

const nameOf = (linkId: string, orderId: string): string => [PREFIX, linkId, orderId].join(':');

/** @returns null for the transaction of a payment */
export function linkOf(transactionId: string): { linkId: string; orderId: string } | null {
  const [prefix, linkId, orderId] = transactionId.split(':');
  return prefix === PREFIX && linkId && orderId ? { linkId, orderId } : null;
}

/** Opens a page to pay on. */
export async function payThere(ctx: ProcessorCtx, sdk: SquareClient, request: PayRequest): Promise<Outcome> {
  const { paymentId, orderId, amountCents, currency, description, email, returnUrl } = request;
  const { paymentLink } = await sdk.checkout.paymentLinks.create({
    idempotencyKey: paymentId,
    order: {
      locationId: locationOf(ctx),
      referenceId: paymentId,
      lineItems: [{ name: description, quantity: '1', basePriceMoney: moneyOf(amountCents, currency) }],
      metadata: { payment_id: paymentId, order_id: orderId, source: 'appctl-store' },
    },
    checkoutOptions: { redirectUrl: returnUrl, allowTipping: false },
    prePopulatedData: { buyerEmail: email },
    // The payment itself has no reference of ours when it is made on a page.
    paymentNote: paymentId,
  });
  return outcomeOf(request, {
    status: 'requires_action',
    transactionId: nameOf(paymentLink?.id ?? '', paymentLink?.orderId ?? ''),
    methodLabel: 'Card',
    nextAction: { kind: 'redirect', url: paymentLink?.url ?? paymentLink?.longUrl ?? '' },
    raw: redacted(paymentLink),
  });
}

/** What became of a page to pay on. */
export async function outcomeOfLink(sdk: SquareClient, transactionId: string): Promise<Outcome> {
  const link = linkOf(transactionId);
  const { order } = await sdk.orders.get({ orderId: link?.orderId ?? '' });
  const paid = order?.tenders
    ?.map(({ paymentId }) => paymentId)
    .find((id) => id !== undefined && id !== null);
  if (paid) {
    const { payment } = await sdk.payments.get({ paymentId: paid });
    if (payment) return outcomeOfPayment(payment);
  }
  const known = { transactionId, methodLabel: 'Card', raw: redacted(order) };
  const asked = askedOf(order?.totalMoney);
  if (order?.state === 'CANCELED') return outcomeOf(asked, { status: 'voided', ...known });
  const { paymentLink } = await sdk.checkout.paymentLinks.get({ id: link?.linkId ?? '' });
  return outcomeOf(asked, {
    status: 'requires_action',
    ...known,
    nextAction: { kind: 'redirect', url: paymentLink?.url ?? '' },
  });
}
