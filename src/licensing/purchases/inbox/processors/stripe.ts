import type { EventKind, ProcessorRules, PurchaseItem, Signed } from './event.ts';
import { at, firstEmail, firstText, idOf, itemOf, itemsOf, textOf } from './reading.ts';
import { hexDigest, isSigned } from './signature.ts';

/** Older deliveries may be replays, and later ones made for later (D104). */
const WINDOW_SECONDS = 120;

/** Card processor A (spec POST webhooks/inbound; D104 to D106, D116). */
export const stripe: ProcessorRules = {
  faultOf,
  read(payload) {
    const id = textOf(payload.id);
    const name = textOf(payload.type);
    if (id === null || name === null) return null;
    const object = at(payload, 'data', 'object');
    const metadata = at(object, 'metadata');
    const paymentId = name.startsWith('payment_intent.')
      ? textOf(at(object, 'id'))
      : idOf(at(object, 'payment_intent'));
    const namedOrderId = firstText(
      at(metadata, 'orderId'),
      at(metadata, 'order_id'),
      at(object, 'client_reference_id'),
    );
    return {
      id,
      name,
      kind: kindOf(name, object),
      paymentId,
      orderId: namedOrderId ?? paymentId,
      namedOrderId,
      items: readItems(object, metadata),
      email: firstEmail(
        at(object, 'customer_details', 'email'),
        at(object, 'customer_email'),
        at(object, 'receipt_email'),
        at(metadata, 'customerEmail'),
      ),
      customerName: firstText(at(object, 'customer_details', 'name'), at(metadata, 'customerName')),
      isOwnStore: at(metadata, 'source') === 'appctl-store',
    };
  },
};

/**
 * `t=…,v1=…[,v1=…]`: exactly one time of digits only, at most two minutes away in either direction. The official SDK is
 * laxer (M9): it takes the last of two times, digits with letters behind them, and times in the future.
 */
function faultOf({ raw, headers, secrets, receivedMs }: Signed): string | null {
  const header = headers['stripe-signature'];
  if (header === undefined) return 'there is no Stripe-Signature header';
  const parts = header.split(',').map((part) => part.trim());
  const times = parts.filter((part) => part.startsWith('t='));
  const time = times.length === 1 ? /^t=(\d{1,15})$/.exec(times[0] as string)?.[1] : undefined;
  if (time === undefined) return 'Stripe-Signature does not have exactly one time';
  const digests = parts
    .filter((part) => part.startsWith('v1='))
    .map((part) => hexDigest(part.slice(3)))
    .filter((digest) => digest !== null);
  if (digests.length === 0) return 'Stripe-Signature has no v1 of 64 hex digits';
  if (!isSigned(digests, secrets, [`${time}.`, raw])) return 'no v1 of Stripe-Signature matches the secret';
  const away = Math.abs(Math.floor(receivedMs / 1000) - Number(time));
  return away > WINDOW_SECONDS ? `the time of Stripe-Signature is ${away} s away` : null;
}

function kindOf(name: string, object: unknown): EventKind {
  switch (name) {
    case 'payment_intent.succeeded':
      return 'PURCHASE';
    case 'checkout.session.completed':
    // Payment methods that take days: the session was completed unpaid, and this is when the money came.
    case 'checkout.session.async_payment_succeeded':
      return PAID.includes(at(object, 'payment_status')) ? 'PURCHASE' : 'OTHER';
    case 'charge.refunded':
      return isFullyRefunded(object) ? 'REFUND' : 'OTHER';
    default:
      return 'OTHER';
  }
}

const PAID: unknown[] = ['paid', 'no_payment_required'];

function isFullyRefunded(charge: unknown): boolean {
  const amount = at(charge, 'amount');
  return at(charge, 'refunded') === true || (amount !== 0 && amount === at(charge, 'amount_refunded'));
}

function readItems(object: unknown, metadata: unknown): PurchaseItem[] {
  const lines = itemsOf(at(object, 'line_items', 'data'), (line) =>
    itemOf([at(line, 'price', 'id'), idOf(at(line, 'price', 'product'))], at(line, 'quantity')),
  );
  if (lines.length > 0) return lines;
  const names = ['externalProductId', 'price_id', 'product_id'];
  const item = itemOf(
    names.map((name) => at(metadata, name)),
    at(metadata, 'quantity'),
  );
  return item ? [item] : [];
}
