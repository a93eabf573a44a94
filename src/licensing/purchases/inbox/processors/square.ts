import type { ProcessorRules, PurchaseItem, Signed } from './event.ts';
import { readEmail, readItems } from './generic.ts';
import { at, firstEmail, firstText, itemOf, itemsOf, textOf } from './reading.ts';
import { base64Digest, isSigned } from './signature.ts';

/** A payment of our own shop is named in the reference field: this processor has no metadata (fulfilment section 10). */
const OWN_PAYMENT = /^pay_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Payments processor B (spec POST webhooks/inbound; D107). */
export const square: ProcessorRules = {
  faultOf,
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
      isOwnStore: OWN_PAYMENT.test(textOf(at(payment, 'reference_id')) ?? ''),
    };
  },
};

/** Over the configured URL and the body; a URL made of the request's Host would be the sender's own choice (M9). */
function faultOf({ raw, headers, secrets, notificationUrl }: Signed): string | null {
  const header = headers['x-square-hmacsha256-signature'];
  if (header === undefined) return 'there is no x-square-hmacsha256-signature header';
  const digest = base64Digest(header);
  if (digest === null) return 'the signature is not 32 bytes in base64';
  return isSigned([digest], secrets, [notificationUrl, raw])
    ? null
    : `the signature does not match the secret and the notification URL ${notificationUrl}`;
}

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
