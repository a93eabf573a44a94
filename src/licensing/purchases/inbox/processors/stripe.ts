import { stripeSignatureFault } from '#platform/notification-signatures/index.ts';
import type { EventKind, ProcessorRules, PurchaseItem } from './event.ts';
import { at, firstEmail, firstText, idOf, itemOf, itemsOf, textOf } from './reading.ts';

/** Card processor A (spec POST webhooks/inbound; D104 to D106, D116). */
export const stripe: ProcessorRules = {
  faultOf: ({ headers, receivedMs, ...signed }) =>
    stripeSignatureFault({ ...signed, header: headers['stripe-signature'] }, receivedMs),
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
