import { sha256Hex } from '#kernel/crypto.ts';
import { hexDigest, isSigned } from '#platform/notification-signatures/index.ts';
import type { EventKind, ProcessorRules, PurchaseItem, Signed } from './event.ts';
import { at, firstEmail, firstText, itemOf, itemsOf } from './reading.ts';

/** Any processor that signs the raw body with HMAC-SHA256 (spec POST webhooks/inbound; D108 to D110, D116). */
export const generic: ProcessorRules = {
  faultOf,
  read(payload, raw) {
    const name = firstText(payload.event, payload.type, payload.event_type);
    if (name === null) return null;
    const orderId = readOrderId(payload);
    return {
      id:
        firstText(payload.id, payload.event_id, payload.eventId, at(payload, 'data', 'id')) ?? sha256Hex(raw),
      name,
      kind: kindOf(name),
      paymentId: firstText(
        payload.paymentId,
        payload.payment_id,
        at(payload, 'data', 'paymentId'),
        at(payload, 'data', 'payment_id'),
      ),
      orderId,
      namedOrderId: orderId,
      items: readItems(payload),
      email: readEmail(payload),
      customerName: firstText(payload.customerName, payload.customer_name, at(payload, 'customer', 'name')),
      isOwnStore: [at(payload, 'metadata', 'source'), at(payload, 'data', 'metadata', 'source')].includes(
        'appctl-store',
      ),
    };
  },
};

/** The first of the two headers that is there decides: an attacker must not get two guesses (A169). */
function faultOf({ raw, headers, secrets }: Signed): string | null {
  const header = headers['x-webhook-signature'] ?? headers['x-signature'];
  if (header === undefined) return 'the X-Webhook-Signature or X-Signature header is missing';
  const digest = hexDigest(header.startsWith('sha256=') ? header.slice(7) : header);
  if (digest === null) return 'the signature is not 64 hex digits';
  return isSigned([digest], secrets, [raw]) ? null : 'the signature does not match the secret';
}

/** Words that say that no money came, or that it went back (D109). */
const REFUSED = /fail|refund|dispute|chargeback|cancel|expir|declin|reject|revers/;
/** These are parts of other words too (notification, avoid), so they count at the beginning of a word or as one only. */
const REFUSED_WORD = /^(?:void|pending|unsuccess|incomplete|requir|attempt|abandon|not$)/;
/** A refund that is not there yet, or that did not come to pass, or of a part only. */
const NO_REFUND = /fail|cancel|expir|declin|reject|revers|request|partial|dispute|chargeback/;

/** `payment.failed` must not create a license, in whatever way it is written (D109). */
function kindOf(name: string): EventKind {
  const lower = name.toLowerCase();
  const words = name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$3 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  const isUndecided = words.some((word) => REFUSED_WORD.test(word));
  if (lower.includes('refund')) return isUndecided || NO_REFUND.test(lower) ? 'OTHER' : 'REFUND';
  if (isUndecided || REFUSED.test(lower)) return 'OTHER';
  return /completed|purchase|payment/.test(lower) ? 'PURCHASE' : 'OTHER';
}

const ID_NAMES = ['productId', 'product_id', 'externalProductId', 'price_id'];

const readItem = (line: unknown): PurchaseItem | null =>
  itemOf(
    ID_NAMES.map((name) => at(line, name)),
    at(line, 'quantity'),
  );

/** The lines under the names of D110, else a product beside the rest. */
export function readItems(payload: unknown): PurchaseItem[] {
  const lists = [
    at(payload, 'items'),
    at(payload, 'line_items'),
    at(payload, 'products'),
    at(payload, 'data', 'items'),
  ];
  for (const list of lists) {
    const items = itemsOf(list, readItem);
    if (items.length > 0) return items;
  }
  const single = readItem(payload);
  return single ? [single] : [];
}

/** The address under the names of D110. */
export const readEmail = (payload: unknown): string | null =>
  firstEmail(
    at(payload, 'customerEmail'),
    at(payload, 'customer_email'),
    at(payload, 'email'),
    at(payload, 'customer', 'email'),
    at(payload, 'data', 'customer', 'email'),
  );

const readOrderId = (payload: unknown): string | null =>
  firstText(at(payload, 'orderId'), at(payload, 'order_id'), at(payload, 'data', 'order_id'));
