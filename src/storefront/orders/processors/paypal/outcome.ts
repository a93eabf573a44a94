import type { CapturedPayment, Order, OrdersCapture } from '@paypal/paypal-server-sdk';
import type { Outcome } from '../contract.ts';
import { declinedOutcome, outcomeOf } from '../outcome.ts';
import { redacted } from '../redact.ts';
import { fromValue } from './units.ts';

export const askedOf = (amount: { readonly value?: string; readonly currencyCode?: string } | undefined) => {
  const currency = amount?.currencyCode ?? '';
  return { amountCents: fromValue(amount?.value, currency), currency };
};

const CAPTURES: Readonly<Record<string, Outcome['status']>> = {
  COMPLETED: 'captured',
  REFUNDED: 'captured',
  PARTIALLY_REFUNDED: 'captured',
  PENDING: 'pending',
  DECLINED: 'declined',
  FAILED: 'declined',
};

/** What the money of a payment is by now. @param known what the order says beside it */
export function outcomeOfCapture(
  capture: OrdersCapture | CapturedPayment,
  known: Partial<Outcome> = {},
): Outcome {
  // One that this version does not know is looked at again later.
  const status = CAPTURES[capture.status ?? ''] ?? 'pending';
  const rest = {
    transactionId: capture.id ?? null,
    methodLabel: 'PayPal',
    raw: redacted(capture),
    ...known,
  };
  const asked = askedOf(capture.amount);
  if (status === 'declined') return declinedOutcome(asked, 'card_declined', rest);
  return outcomeOf(asked, { status, ...rest });
}

/** Where the buyer agrees. */
const pageOf = ({ links = [] }: Order): string | undefined =>
  links.find(({ rel }) => rel === 'payer-action' || rel === 'approve')?.href;

/** What an order of PayPal is by now: before the money was taken it is the transaction, then its capture is. */
export function outcomeOfOrder(order: Order): Outcome {
  const [unit] = order.purchaseUnits ?? [];
  const wallet = order.paymentSource?.paypal;
  const known = {
    methodLabel: 'PayPal',
    fingerprint: wallet?.accountId ?? order.payer?.payerId ?? null,
    country: wallet?.address?.countryCode ?? order.payer?.address?.countryCode ?? null,
    raw: redacted(order),
  };
  const capture = unit?.payments?.captures?.[0];
  if (capture) return outcomeOfCapture(capture, known);
  const asked = askedOf(unit?.amount);
  const rest = { transactionId: order.id ?? null, ...known };
  if (order.status === 'VOIDED') return outcomeOf(asked, { status: 'voided', ...rest });
  if (order.status === 'APPROVED')
    return outcomeOf(asked, { status: 'requires_action', ...rest, nextAction: { kind: 'confirm' } });
  const url = pageOf(order);
  return outcomeOf(asked, {
    status: url === undefined ? 'pending' : 'requires_action',
    ...rest,
    ...(url !== undefined && { nextAction: { kind: 'redirect' as const, url } }),
  });
}
