import { createHmac } from 'node:crypto';
import type { Processor } from '../../integrations/index.ts';

/** What a sample purchase says. */
export interface SamplePurchase {
  /** Part of every id in it, so that two samples are two purchases; lower-case letters and digits. */
  unique: string;
  /** Product or price id at the processor. */
  externalProductId: string;
  email: string;
  orderId: string;
}

/** A purchase as the processor reports it, in the smallest form that its documents know (D104, D107, D110). */
export function sampleBody(processor: Processor, purchase: SamplePurchase): Buffer {
  return Buffer.from(JSON.stringify(bodies[processor](purchase)), 'utf8');
}

const bodies: Record<Processor, (purchase: SamplePurchase) => object> = {
  STRIPE: ({ unique, externalProductId, email, orderId }) => ({
    id: `evt_test_${unique}`,
    object: 'event',
    type: 'checkout.session.completed',
    livemode: false,
    data: {
      object: {
        id: `cs_test_${unique}`,
        object: 'checkout.session',
        payment_intent: `pi_test_${unique}`,
        payment_status: 'paid',
        status: 'complete',
        mode: 'payment',
        customer_details: { email, name: 'Test' },
        metadata: { price_id: externalProductId, orderId },
      },
    },
  }),
  SQUARE: ({ unique, externalProductId, email, orderId }) => ({
    event_id: `test-${unique}`,
    type: 'payment.completed',
    data: {
      type: 'payment',
      id: `payment-test-${unique}`,
      object: {
        payment: {
          id: `payment-test-${unique}`,
          status: 'COMPLETED',
          order_id: orderId,
          buyer_email_address: email,
        },
        line_items: [{ catalog_object_id: externalProductId, quantity: '1' }],
      },
    },
  }),
  GENERIC: ({ unique, externalProductId, email, orderId }) => ({
    id: `test-${unique}`,
    event: 'purchase.completed',
    orderId,
    customer: { email, name: 'Test' },
    items: [{ productId: externalProductId, quantity: 1 }],
  }),
};

/** What a delivery is signed with. */
export interface SampleSigning {
  raw: Buffer;
  secret: string;
  /** What the processor was told to call; only SQUARE signs it. */
  notificationUrl: string;
  /** When it is sent, milliseconds since 1970. */
  nowMs: number;
}

/** The headers by which the processor proves a delivery (spec POST webhooks/inbound). */
export function signSample(processor: Processor, signing: SampleSigning): Record<string, string> {
  const { raw, secret, notificationUrl, nowMs } = signing;
  const digest = (...parts: (string | Buffer)[]) =>
    parts.reduce((hmac, part) => hmac.update(part), createHmac('sha256', secret)).digest();
  if (processor === 'STRIPE') {
    const time = String(Math.floor(nowMs / 1000));
    return { 'Stripe-Signature': `t=${time},v1=${digest(`${time}.`, raw).toString('hex')}` };
  }
  if (processor === 'SQUARE')
    return { 'X-Square-HmacSha256-Signature': digest(notificationUrl, raw).toString('base64') };
  return { 'X-Webhook-Signature': `sha256=${digest(raw).toString('hex')}` };
}
