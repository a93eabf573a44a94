import { fail } from '#kernel/service/errors.ts';
import type {
  IgnoredNotification,
  Notification,
  NotificationHeaders,
  NotificationType,
  ProcessorCtx,
} from '../contract.ts';
import { badSignature } from '../errors.ts';
import { redacted } from '../redact.ts';
import { type PayPalSdk, webhookIdOf } from './client.ts';
import { paypalFailure, wordsOf } from './failure.ts';
import { fromValue } from './units.ts';

interface Amount {
  readonly value?: string;
  readonly currency_code?: string;
}

interface Resource {
  readonly id?: string;
  readonly amount?: Amount;
  readonly custom_id?: string;
  readonly links?: readonly { readonly rel?: string; readonly href?: string }[];
  readonly dispute_amount?: Amount;
  readonly reason?: string;
  readonly dispute_outcome?: { readonly outcome_code?: string };
  readonly disputed_transactions?: readonly {
    readonly seller_transaction_id?: string;
    readonly custom?: string;
  }[];
}

interface Event {
  readonly id: string;
  readonly event_type: string;
  readonly resource?: Resource;
}

type Read = Omit<Notification, 'ignored' | 'processorEventId' | 'raw'>;

const moneyIn = (amount: Amount | undefined) => {
  const currency = amount?.currency_code ?? '';
  return { amountCents: fromValue(amount?.value, currency), currency };
};

const OWN_PAYMENT = /^pay_[0-9A-HJKMNP-TV-Z]{26}$/;
const paymentIn = (text: string | undefined): string | null =>
  OWN_PAYMENT.test(text ?? '') ? (text ?? null) : null;
const nothing = { refundId: null, refundKey: null, errorCode: null };

const ofCapture = (type: NotificationType, resource: Resource): Read => ({
  ...nothing,
  type,
  transactionId: resource.id ?? null,
  paymentId: paymentIn(resource.custom_id),
  ...moneyIn(resource.amount),
  ...(type === 'payment.failed' && { errorCode: 'card_declined' }),
});

/** A refund names what it pays back by the address of that. */
const captureIn = ({ links = [] }: Resource): string | null =>
  /\/captures\/([^/?]+)/.exec(links.find(({ rel }) => rel === 'up')?.href ?? '')?.[1] ?? null;

const ofRefund = (type: NotificationType, resource: Resource): Read => ({
  ...nothing,
  type,
  transactionId: captureIn(resource),
  paymentId: paymentIn(resource.custom_id),
  ...moneyIn(resource.amount),
  refundId: resource.id ?? null,
  refundKey: paymentIn(resource.custom_id) === null ? (resource.custom_id ?? null) : null,
  errorCode: type === 'refund.failed' ? 'failed' : null,
});

const DISPUTES: Readonly<Record<string, NotificationType>> = {
  RESOLVED_BUYER_FAVOUR: 'dispute.lost',
  ACCEPTED: 'dispute.lost',
  RESOLVED_SELLER_FAVOUR: 'dispute.won',
  RESOLVED_WITH_PAYOUT: 'dispute.won',
  CANCELED_BY_BUYER: 'dispute.won',
};

function ofDispute(resource: Resource, isNew: boolean): Read | null {
  const type = isNew ? 'dispute.opened' : DISPUTES[resource.dispute_outcome?.outcome_code ?? ''];
  if (type === undefined) return null;
  const [disputed] = resource.disputed_transactions ?? [];
  return {
    ...nothing,
    type,
    transactionId: disputed?.seller_transaction_id ?? null,
    paymentId: paymentIn(disputed?.custom),
    ...moneyIn(resource.dispute_amount),
    errorCode: resource.reason ?? null,
  };
}

function read({ event_type: type, resource = {} }: Event): Read | null {
  switch (type) {
    case 'PAYMENT.CAPTURE.COMPLETED':
      return ofCapture('payment.succeeded', resource);
    case 'PAYMENT.CAPTURE.DECLINED':
    case 'PAYMENT.CAPTURE.DENIED':
      return ofCapture('payment.failed', resource);
    case 'PAYMENT.CAPTURE.REFUNDED':
      return ofRefund('refund.succeeded', resource);
    case 'PAYMENT.REFUND.FAILED':
      return ofRefund('refund.failed', resource);
    case 'CUSTOMER.DISPUTE.CREATED':
      return ofDispute(resource, true);
    case 'CUSTOMER.DISPUTE.RESOLVED':
      return ofDispute(resource, false);
    default:
      return null;
  }
}

const HEADERS = {
  auth_algo: 'paypal-auth-algo',
  cert_url: 'paypal-cert-url',
  transmission_id: 'paypal-transmission-id',
  transmission_sig: 'paypal-transmission-sig',
  transmission_time: 'paypal-transmission-time',
} as const;

/** What PayPal is asked about a signature: its event byte by byte, since another order of its fields is another text. */
function questionOf(raw: string, headers: NotificationHeaders, webhookId: string): string {
  const named = Object.entries(HEADERS).map(([name, header]) => {
    const value = headers[header];
    if (typeof value !== 'string' || value === '') throw badSignature(`the ${header} header is missing`);
    return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  });
  return `{${named.join(',')},"webhook_id":${JSON.stringify(webhookId)},"webhook_event":${raw}}`;
}

function parsed(raw: string): Event {
  try {
    const event: unknown = JSON.parse(raw);
    if (event !== null && typeof event === 'object' && 'id' in event && 'event_type' in event)
      return event as Event;
  } catch {
    // What follows says so.
  }
  throw badSignature('the body is not an event');
}

/**
 * Reads what PayPal reported; PayPal itself is asked whether it did.
 *
 * @throws AppError UNAUTHORIZED when it did not; SERVER_ERROR while it cannot be asked
 */
export async function verify(
  ctx: ProcessorCtx,
  { client }: PayPalSdk,
  rawBody: Buffer,
  headers: NotificationHeaders,
): Promise<Notification | IgnoredNotification> {
  const webhookId = webhookIdOf(ctx);
  if (webhookId === null) throw badSignature('paypal_webhook_id is not set');
  const raw = rawBody.toString('utf8');
  const event = parsed(raw);
  const question = questionOf(raw, headers, webhookId);
  let answer: string;
  try {
    const request = client.getRequestBuilderFactory()('POST', '/v1/notifications/verify-webhook-signature');
    request.authenticate([{ oauth2: true }]);
    request.text(question);
    request.contentType('application/json');
    answer = (await request.callAsText()).result;
  } catch (error) {
    const failure = paypalFailure(error);
    if (failure.statusCode === 400 || failure.statusCode === 422) throw badSignature(wordsOf(failure));
    throw fail('SERVER_ERROR', `PayPal could not be asked about a signature: ${wordsOf(failure)}`);
  }
  if (!/"verification_status"\s*:\s*"SUCCESS"/.test(answer)) throw badSignature('PayPal did not send it');
  const known = { processorEventId: event.id, raw: redacted(event) };
  const found = read(event);
  return found === null
    ? { ...known, ignored: true, type: event.event_type }
    : { ...known, ignored: false, ...found };
}
