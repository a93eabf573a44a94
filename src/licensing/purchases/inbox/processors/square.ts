import { squareSignatureFault } from '#platform/notification-signatures/index.ts';
import type { ProcessorRules, PurchaseItem } from './event.ts';
import { readEmail, readItems } from './generic.ts';
import { at, firstEmail, firstText, itemOf, itemsOf, textOf } from './reading.ts';

/**
 * A payment of our own shop is named in the reference field, or in the note of one that was made on the processor's
 * page: this processor has no metadata (fulfilment section 10).
 */
const OWN_PAYMENT = /^pay_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Payments processor B (spec POST webhooks/inbound; D107). */
export const square: ProcessorRules = {
  faultOf: ({ headers, notificationUrl, ...signed }) =>
    squareSignatureFault({ ...signed, header: headers['x-square-hmacsha256-signature'] }, notificationUrl),
  read(payload) {
    const id = textOf(payload.event_id);
    const name = textOf(payload.type);
    if (id === null || name === null) return null;
    const object = at(payload, 'data', 'object');
    const payment = at(object, 'payment');
    const paymentId = textOf(at(payment, 'id'));
    const orderId = textOf(at(payment, 'order_id'));
    const status = at(payment, 'status');
    const isPaid = name === 'payment.completed' && (status === undefined || status === 'COMPLETED');
    return {
      id,
      name,
      kind: isPaid ? 'PURCHASE' : 'OTHER',
      paymentId,
      orderId: orderId ?? paymentId,
      namedOrderId: orderId,
      items: itemsIn(payload, object, payment),
      email: firstEmail(at(payment, 'buyer_email_address')) ?? readEmail(payload) ?? readEmail(object),
      customerName: firstText(payload.customerName, payload.customer_name, at(payload, 'customer', 'name')),
      isOwnStore: ['reference_id', 'note'].some((name) => OWN_PAYMENT.test(textOf(at(payment, name)) ?? '')),
    };
  },
};

function itemsIn(payload: unknown, object: unknown, payment: unknown): PurchaseItem[] {
  for (const holder of [object, at(object, 'order')]) {
    const lines = itemsOf(at(holder, 'line_items'), (line) =>
      itemOf([at(line, 'catalog_object_id')], at(line, 'quantity')),
    );
    if (lines.length > 0) return lines;
  }
  const referred = itemOf([at(payment, 'reference_id')], undefined);
  if (referred) return [referred];
  const named = readItems(payload);
  return named.length > 0 ? named : readItems(object);
}
