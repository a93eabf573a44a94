// Purchases as payment processors report them, signed by their own packages where these sign, else by openssl.
import { WebhooksHelper } from 'square';
import Stripe from 'stripe';
import type { Installation } from './installation.ts';
import { opensslHmac } from './openssl-hmac.ts';
import { jsonCommand } from './processes.ts';

export const PROCESSORS = ['stripe', 'square', 'generic'] as const;
export type ProcessorName = (typeof PROCESSORS)[number];

/** Where one processor reports to. */
export interface Place {
  configId: string;
  secret: string;
  /** What the processor was told to call; one of them signs it. */
  notificationUrl: string;
}

export type Shop = Readonly<Record<ProcessorName, Place>>;

/** One report of a purchase. */
export interface Report {
  processor: ProcessorName;
  body: string;
}

/** Somebody has bought something. */
export interface Purchase {
  processor: ProcessorName;
  /** Every license of it is stored with this. */
  orderId: string;
  /** So many licenses. */
  units: number;
  /** What the processor sends for it: one event, or two of one payment. */
  reports: readonly Report[];
}

/** Products as the processors know them, and how many of each a purchase is of. */
export const BASKET: Readonly<Record<string, number>> = { 'item-pro': 2, 'item-plus': 1 };
const UNITS = Object.values(BASKET).reduce((sum, quantity) => sum + quantity, 0);
const EMAIL = 'ann@example.com';

const { webhooks } = new Stripe('sk_test_of_a_proof');

/** A purchase of the basket. */
export function purchase(processor: ProcessorName, orderId: string): Purchase {
  const bodies = { stripe: stripeBodies, square: squareBodies, generic: genericBodies }[processor](orderId);
  const reports = bodies.map((body) => ({ processor, body: JSON.stringify(body) }));
  return { processor, orderId, units: UNITS, reports };
}

const lines = <T>(line: (id: string, quantity: number) => T): T[] =>
  Object.entries(BASKET).map(([id, quantity]) => line(id, quantity));

function stripeBodies(orderId: string): object[] {
  const data = lines((id, quantity) => ({ object: 'item', price: { id }, quantity }));
  const metadata = { order_id: orderId };
  const session = {
    ...{ id: `cs_${orderId}`, object: 'checkout.session', payment_status: 'paid', metadata },
    payment_intent: `pi_${orderId}`,
    customer_details: { email: EMAIL, name: 'Ann' },
    line_items: { object: 'list', data },
  };
  const intent = {
    ...{ id: `pi_${orderId}`, object: 'payment_intent', receipt_email: EMAIL, metadata },
    line_items: { object: 'list', data },
  };
  return [
    stripeEvent(`evt_s_${orderId}`, 'checkout.session.completed', session),
    stripeEvent(`evt_p_${orderId}`, 'payment_intent.succeeded', intent),
  ];
}

const stripeEvent = (id: string, type: string, object: object): object => ({
  ...{ id, object: 'event', api_version: '2025-01-27', type },
  data: { object },
});

function squareBodies(orderId: string): object[] {
  const line_items = lines((catalog_object_id, quantity) => ({
    catalog_object_id,
    quantity: String(quantity),
  }));
  const payment = {
    id: `sqp_${orderId}`,
    order_id: orderId,
    buyer_email_address: EMAIL,
    status: 'COMPLETED',
  };
  const data = { type: 'payment', id: payment.id, object: { payment, line_items } };
  return [{ merchant_id: 'M1', type: 'payment.completed', event_id: `sqe_${orderId}`, data }];
}

function genericBodies(orderId: string): object[] {
  const items = lines((productId, quantity) => ({ productId, quantity }));
  return [{ id: `gen_${orderId}`, event: 'order.completed', orderId, customerEmail: EMAIL, items }];
}

/** Signatures that openssl made already, of one place each: a thousand copies have one. */
const signed = new Map<string, string>();

function opensslSignature({ secret }: Place, text: string, encoding: 'hex' | 'base64'): string {
  const key = `${secret} ${encoding} ${text}`;
  const known = signed.get(key);
  if (known !== undefined) return known;
  const made = opensslHmac(secret, text).toString(encoding);
  signed.set(key, made);
  return made;
}

/** The headers with which a processor signs a report now. */
export function signatureOf(place: Place, { processor, body }: Report): Record<string, string> {
  if (processor === 'stripe') {
    const header = webhooks.generateTestHeaderString({ payload: body, secret: place.secret });
    return { 'Stripe-Signature': header };
  }
  if (processor === 'square') {
    const text = `${place.notificationUrl}${body}`;
    return { 'x-square-hmacsha256-signature': opensslSignature(place, text, 'base64') };
  }
  return { 'X-Webhook-Signature': `sha256=${opensslSignature(place, body, 'hex')}` };
}

/**
 * What the official packages say of a signature.
 *
 * @throws Error when they refuse it: then the proof itself signs wrongly
 */
export async function askPackages(shop: Shop): Promise<void> {
  for (const processor of ['stripe', 'square'] as const) {
    const place = shop[processor];
    const [report] = purchase(processor, 'asked').reports as [Report];
    const [header] = Object.values(signatureOf(place, report)) as [string];
    if (processor === 'stripe') {
      webhooks.constructEvent(report.body, header, place.secret);
      continue;
    }
    const isValid = await WebhooksHelper.verifySignature({
      requestBody: report.body,
      signatureHeader: header,
      signatureKey: place.secret,
      notificationUrl: place.notificationUrl,
    });
    if (!isValid) throw new Error('the package of the processor refuses what the proof signs');
  }
}

/** What Square is told to call is not where the request arrives: a proxy stands in front. */
const NOTIFICATION_URL = 'https://shop.example.com/hooks/payments';

/** Lets the three processors sell a product under names of their own. @param product its slug */
export async function openPlaces(installation: Installation, product: string): Promise<Shop> {
  const places: Partial<Record<ProcessorName, Place>> = {};
  for (const processor of PROCESSORS) places[processor] = await openPlace(installation, processor, product);
  return places as Shop;
}

async function openPlace(
  { launch }: Installation,
  processor: ProcessorName,
  product: string,
): Promise<Place> {
  const url = processor === 'square' ? ['--notification-url', NOTIFICATION_URL] : [];
  const words = ['integration', 'create', '--processor', processor, '--generate-secret', ...url];
  const { id, secret } = await jsonCommand<{ id: string; secret: string }>(launch, words);
  for (const external of Object.keys(BASKET)) {
    const what = ['--external', external, '--product', product, '--max-activations', '1'];
    await jsonCommand(launch, ['integration', 'map', id, ...what]);
  }
  return { configId: id, secret, notificationUrl: NOTIFICATION_URL };
}
