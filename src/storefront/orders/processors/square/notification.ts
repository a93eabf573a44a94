import { squareSignatureFault } from '#platform/notification-signatures/index.ts';
import type {
  IgnoredNotification,
  Notification,
  NotificationHeaders,
  NotificationType,
  ProcessorCtx,
} from '../contract.ts';
import { badSignature } from '../errors.ts';
import { redacted } from '../redact.ts';
import { keyIn } from './change.ts';
import { notificationUrlOf, signatureKeyOf } from './client.ts';
import { declineCodeOf } from './failure.ts';

interface Money {
  readonly amount?: number;
  readonly currency?: string;
}

interface Payment {
  readonly id: string;
  readonly status: string;
  readonly amount_money?: Money;
  readonly total_money?: Money;
  readonly reference_id?: string;
  readonly note?: string;
  readonly card_details?: { readonly errors?: readonly { readonly code?: string }[] };
}

interface Refund {
  readonly id: string;
  readonly status: string;
  readonly payment_id: string;
  readonly amount_money?: Money;
  readonly reason?: string;
}

interface Dispute {
  readonly state: string;
  readonly reason?: string;
  readonly amount_money?: Money;
  readonly disputed_payment?: { readonly payment_id?: string };
}

interface Event {
  readonly event_id: string;
  readonly type: string;
  readonly data?: { readonly object?: { payment?: Payment; refund?: Refund; dispute?: Dispute } };
}

type Read = Omit<Notification, 'ignored' | 'processorEventId' | 'raw'>;

const moneyIn = (money: Money | undefined) => ({
  amountCents: Number(money?.amount ?? 0),
  currency: money?.currency ?? '',
});

const OWN_PAYMENT = /^pay_[0-9A-HJKMNP-TV-Z]{26}$/;

const nothing = { refundId: null, refundKey: null, errorCode: null };

const PAYMENTS: Readonly<Record<string, NotificationType>> = {
  COMPLETED: 'payment.succeeded',
  APPROVED: 'payment.authorized',
  FAILED: 'payment.failed',
  CANCELED: 'payment.failed',
};

function ofPayment(payment: Payment): Read | null {
  const type = PAYMENTS[payment.status];
  if (type === undefined) return null;
  const named = [payment.reference_id, payment.note].find((text) => OWN_PAYMENT.test(text ?? ''));
  return {
    ...nothing,
    type,
    transactionId: payment.id,
    paymentId: named ?? null,
    ...moneyIn(payment.total_money ?? payment.amount_money),
    ...(type === 'payment.failed' && {
      errorCode:
        payment.status === 'CANCELED' ? 'canceled' : declineCodeOf(payment.card_details?.errors ?? []),
    }),
  };
}

function ofRefund(refund: Refund): Read | null {
  const isDone = refund.status === 'COMPLETED';
  if (!isDone && refund.status !== 'FAILED' && refund.status !== 'REJECTED') return null;
  return {
    ...nothing,
    type: isDone ? 'refund.succeeded' : 'refund.failed',
    transactionId: refund.payment_id,
    paymentId: null,
    ...moneyIn(refund.amount_money),
    refundId: refund.id,
    refundKey: keyIn(refund.reason),
    errorCode: isDone ? null : refund.status.toLowerCase(),
  };
}

const DISPUTES: Readonly<Record<string, NotificationType>> = {
  WON: 'dispute.won',
  LOST: 'dispute.lost',
  // The seller gave in.
  ACCEPTED: 'dispute.lost',
  INQUIRY_CLOSED: 'dispute.won',
};

function ofDispute(dispute: Dispute, isNew: boolean): Read | null {
  const type = DISPUTES[dispute.state] ?? (isNew ? 'dispute.opened' : undefined);
  if (type === undefined) return null;
  return {
    ...nothing,
    type,
    transactionId: dispute.disputed_payment?.payment_id ?? null,
    paymentId: null,
    ...moneyIn(dispute.amount_money),
    errorCode: dispute.reason ?? null,
  };
}

function read({ type, data }: Event): Read | null {
  const { payment, refund, dispute } = data?.object ?? {};
  if (type.startsWith('payment.') && payment) return ofPayment(payment);
  if (type.startsWith('refund.') && refund) return ofRefund(refund);
  if (type.startsWith('dispute.') && dispute) return ofDispute(dispute, type === 'dispute.created');
  return null;
}

/** Reads what Square reported. @throws AppError UNAUTHORIZED when its signature does not hold */
export function verify(
  ctx: ProcessorCtx,
  raw: Buffer,
  headers: NotificationHeaders,
): Notification | IgnoredNotification {
  const secret = signatureKeyOf(ctx);
  if (secret === null) throw badSignature('square_webhook_signature_key is not set');
  const given = headers['x-square-hmacsha256-signature'];
  const header = Array.isArray(given) ? given.join(',') : given;
  const fault = squareSignatureFault({ raw, header, secrets: [secret] }, notificationUrlOf(ctx));
  if (fault !== null) throw badSignature(fault);
  const event = JSON.parse(raw.toString('utf8')) as Event;
  const known = { processorEventId: event.event_id, raw: redacted(event) };
  const found = read(event);
  return found === null
    ? { ...known, ignored: true, type: event.type }
    : { ...known, ignored: false, ...found };
}
