import type StripeSdk from 'stripe';
import { stripeSignatureFault } from '#platform/notification-signatures/index.ts';
import type {
  IgnoredNotification,
  Notification,
  NotificationHeaders,
  NotificationType,
  ProcessorCtx,
} from '../contract.ts';
import { badSignature } from '../errors.ts';
import { redacted } from '../redact.ts';
import { webhookSecretOf } from './client.ts';
import { declineCodeOf } from './failure.ts';
import { idOf } from './outcome.ts';
import { fromUnits } from './units.ts';

type Read = Omit<Notification, 'ignored' | 'processorEventId' | 'raw'>;

/** Amounts of Stripe in the words of the contract. */
const money = (units: number, code: string | null) => {
  const currency = (code ?? '').toUpperCase();
  return { amountCents: fromUnits(units, currency), currency };
};

const nothing = { refundId: null, refundKey: null, errorCode: null };

function ofIntent(type: NotificationType, intent: StripeSdk.PaymentIntent): Read {
  const units =
    type === 'payment.succeeded'
      ? intent.amount_received
      : type === 'payment.authorized'
        ? intent.amount_capturable
        : intent.amount;
  return {
    ...nothing,
    type,
    transactionId: intent.id,
    paymentId: intent.metadata?.payment_id ?? null,
    ...money(units, intent.currency),
    ...(type === 'payment.failed' && {
      errorCode: intent.status === 'canceled' ? 'canceled' : declineCodeOf(intent.last_payment_error ?? {}),
    }),
  };
}

function ofRefund(refund: StripeSdk.Refund): Read | null {
  const isDone = refund.status === 'succeeded';
  if (!isDone && refund.status !== 'failed' && refund.status !== 'canceled') return null;
  return {
    ...nothing,
    type: isDone ? 'refund.succeeded' : 'refund.failed',
    transactionId: idOf(refund.payment_intent),
    paymentId: refund.metadata?.payment_id ?? null,
    ...money(refund.amount, refund.currency),
    refundId: refund.id,
    refundKey: refund.metadata?.refund_key ?? null,
    errorCode: isDone ? null : (refund.failure_reason ?? 'failed'),
  };
}

const DISPUTES: Readonly<Record<string, NotificationType>> = {
  won: 'dispute.won',
  lost: 'dispute.lost',
  // An inquiry that did not become a dispute.
  warning_closed: 'dispute.won',
  prevented: 'dispute.won',
};

function ofDispute(dispute: StripeSdk.Dispute, isClosed: boolean): Read | null {
  const type = isClosed ? DISPUTES[dispute.status] : 'dispute.opened';
  if (type === undefined) return null;
  return {
    ...nothing,
    type,
    transactionId: idOf(dispute.payment_intent),
    paymentId: null,
    ...money(dispute.amount, dispute.currency),
    errorCode: dispute.reason,
  };
}

/** A page that nobody paid on. */
const ofPage = (page: StripeSdk.Checkout.Session): Read => ({
  ...nothing,
  type: 'payment.failed',
  transactionId: page.id,
  paymentId: page.client_reference_id,
  ...money(page.amount_total ?? 0, page.currency),
  errorCode: 'canceled',
});

function read(event: StripeSdk.Event): Read | null {
  switch (event.type) {
    case 'payment_intent.succeeded':
      return ofIntent('payment.succeeded', event.data.object);
    case 'payment_intent.amount_capturable_updated':
      return ofIntent('payment.authorized', event.data.object);
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled':
      return ofIntent('payment.failed', event.data.object);
    case 'checkout.session.expired':
      return ofPage(event.data.object);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return ofRefund(event.data.object);
    case 'charge.dispute.created':
      return ofDispute(event.data.object, false);
    case 'charge.dispute.closed':
      return ofDispute(event.data.object, true);
    default:
      return null;
  }
}

/** Reads what Stripe reported. @throws AppError UNAUTHORIZED when its signature does not hold */
export function verify(
  ctx: ProcessorCtx,
  raw: Buffer,
  headers: NotificationHeaders,
): Notification | IgnoredNotification {
  const secret = webhookSecretOf(ctx);
  if (secret === null) throw badSignature('stripe_webhook_secret is not set');
  const given = headers['stripe-signature'];
  const header = Array.isArray(given) ? given.join(',') : given;
  const fault = stripeSignatureFault({ raw, header, secrets: [secret] }, Date.parse(ctx.now()));
  if (fault !== null) throw badSignature(fault);
  const event = JSON.parse(raw.toString('utf8')) as StripeSdk.Event;
  const known = { processorEventId: event.id, raw: redacted(event) };
  const found = read(event);
  return found === null
    ? { ...known, ignored: true, type: event.type }
    : { ...known, ignored: false, ...found };
}
