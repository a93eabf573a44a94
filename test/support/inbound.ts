// Payment processors as clients of the inbound endpoint: they sign as their own libraries do.
import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import { eventRows } from '#licensing/purchases/inbox/events/queries.ts';
import type * as inbox from '#licensing/purchases/inbox/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import type { TestApp } from './app.ts';
import type { HttpReply } from './http-client.ts';

export const secret = 'whsec_0123456789abcdef';

export type Shop = {
  id: string;
  /** Posts an event, signed as its processor signs it. */
  send(event: object | string, signed?: Signing): Promise<HttpReply>;
  /** Posts bytes with these headers. */
  post(body: string | Uint8Array, headers?: Record<string, string>): Promise<HttpReply>;
  /** Maps an external product to a new product of ours. */
  map(externalProductId: string, extra?: Record<string, unknown>): Promise<string>;
  /** Licenses that exist, by what was asked for. */
  licenses(): Promise<LicenseRow[]>;
  events(): Promise<inbox.InboundEvent[]>;
};

export type Signing = { secret?: string; at?: number; headers?: Record<string, string> };

export type LicenseRow = {
  id: string;
  product_id: string;
  status: string;
  order_id: string | null;
  type: string;
  tier: string;
  max_activations: number;
  valid_until: string | null;
  source: string;
};

const stripeClient = new Stripe('sk_test_none');

/** Seconds since 1970 by the clock of the application. */
export const secondsOf = (app: TestApp): number => Math.floor(app.clock.epochMs() / 1000);

/** Headers as the official library of card processor A makes them. */
export const stripeHeaders = (payload: string, timestamp: number, key = secret): Record<string, string> => ({
  'Stripe-Signature': stripeClient.webhooks.generateTestHeaderString({ payload, secret: key, timestamp }),
});

export const hmac = (key: string, ...parts: (string | Uint8Array)[]): Buffer => {
  const digest = createHmac('sha256', key);
  for (const part of parts) digest.update(part);
  return digest.digest();
};

let made = 0;

/** Makes an integration of a processor. */
export async function openShop(
  app: TestApp,
  processor: 'STRIPE' | 'SQUARE' | 'GENERIC',
  ctx = app.ctx,
): Promise<Shop> {
  made += 1;
  const { config } = await integrations.create(ctx, {
    name: `${processor} ${made}`,
    processor,
    signingSecret: secret,
  });
  const path = `/api/v1/webhooks/inbound/${config.id}`;
  const post: Shop['post'] = (body, headers = {}) => app.send(path, { method: 'POST', body, headers });
  const headersOf = (body: string, { secret: key = secret, at = secondsOf(app) }: Signing) => {
    if (processor === 'STRIPE') return stripeHeaders(body, at, key);
    if (processor === 'SQUARE') {
      const url = integrations.endpointUrl(ctx.baseUrl, config.id);
      return { 'x-square-hmacsha256-signature': hmac(key, url, body).toString('base64') };
    }
    return { 'X-Webhook-Signature': hmac(key, body).toString('hex') };
  };
  return {
    id: config.id,
    post,
    send: (event, signing = {}) => {
      const body = typeof event === 'string' ? event : JSON.stringify(event);
      return post(body, { ...headersOf(body, signing), ...signing.headers });
    },
    map: async (externalProductId, extra = {}) => {
      const product = await app.product({}, ctx);
      await integrations.mapProduct(ctx, config.id, { externalProductId, productId: product.id, ...extra });
      return product.id;
    },
    licenses: () => licensesOf(app, config.id),
    events: async () =>
      (await eventRows.page(ctx, { filters: { configId: [config.id] }, offset: 0, limit: 500 })).items,
  };
}

async function licensesOf(app: TestApp, configId: string): Promise<LicenseRow[]> {
  const { knex } = app.instance.database.db;
  const claims: { licenses: string }[] = await knex('license_inbound_claims').where({ config_id: configId });
  const ids = claims.flatMap(({ licenses }) =>
    (JSON.parse(licenses) as { licenseId: string }[]).map(({ licenseId }) => licenseId),
  );
  return knex('licenses').whereIn('id', ids).orderBy('id');
}

/** An event of card processor A about a checkout that was paid. */
export const checkout = (
  id: string,
  extra: Record<string, unknown> = {},
  payment: string | null = `pi_${id}`,
) => ({
  id: `evt_${id}`,
  type: 'checkout.session.completed',
  data: {
    object: {
      id: `cs_${id}`,
      object: 'checkout.session',
      payment_intent: payment,
      payment_status: 'paid',
      customer_details: { email: 'buyer@x.test', name: 'Bea Buyer' },
      metadata: { price_id: 'price_1', orderId: `order-${id}` },
      ...extra,
    },
  },
});

/** The other event of the same purchase. */
export const paymentIntent = (id: string, extra: Record<string, unknown> = {}) => ({
  id: `evt_pi_${id}`,
  type: 'payment_intent.succeeded',
  data: {
    object: {
      id: `pi_${id}`,
      object: 'payment_intent',
      receipt_email: 'buyer@x.test',
      metadata: { price_id: 'price_1', orderId: `order-${id}` },
      ...extra,
    },
  },
});

/** A purchase as any other shop may report it. */
export const purchase = (id: string, extra: Record<string, unknown> = {}) => ({
  id,
  event: 'purchase.completed',
  order_id: `order-${id}`,
  customer: { email: 'buyer@x.test', name: 'Bea Buyer' },
  items: [{ productId: 'price_1', quantity: 1 }],
  ...extra,
});
