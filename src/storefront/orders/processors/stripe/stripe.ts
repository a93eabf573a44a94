import type StripeSdk from 'stripe';
import { processorFields } from '#storefront/contract/payment-settings.ts';
import type { ClientConfig, Connection, Processor, ProcessorCtx } from '../contract.ts';
import { capture, confirm, giveUp, lookupRefund, refund } from './change.ts';
import { publishableKeyOf, secretKeyOf, stripeClient, TIMEOUT_MS } from './client.ts';
import { stripeError, wordsOf } from './failure.ts';
import { lookup } from './lookup.ts';
import { verify } from './notification.ts';
import { pay } from './pay.ts';

const SCRIPTS = 'https://js.stripe.com';
const API = 'https://api.stripe.com';

/** Where the script of the browser comes from, and what it loads from where. */
function client(ctx: ProcessorCtx): ClientConfig {
  const place = ctx.processorUrls.get('stripe');
  const config = { publishable_key: publishableKeyOf(ctx) };
  if (place !== undefined)
    return {
      config,
      csp: { scripts: [place], frames: [place], connects: [place], images: [place], styles: [] },
      scriptUrl: `${place}/v3/`,
    };
  return {
    config,
    csp: {
      scripts: [SCRIPTS, 'https://*.js.stripe.com'],
      frames: [SCRIPTS, 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
      connects: [API],
      images: ['https://*.stripe.com'],
      styles: [],
    },
    scriptUrl: `${SCRIPTS}/v3/`,
  };
}

const modeOf = (key: string): string => /^[a-z]+_([a-z]+)_/.exec(key)?.[1] ?? '';

/** Whether Stripe takes the secret key, and whether the two keys belong together. */
async function test(ctx: ProcessorCtx, sdk: StripeSdk): Promise<{ ok: boolean; message: string }> {
  const mode = modeOf(secretKeyOf(ctx) ?? '');
  const other = modeOf(publishableKeyOf(ctx));
  if (mode !== other)
    return {
      ok: false,
      message: `The secret key is for ${mode} mode, the publishable key for ${other} mode`,
    };
  try {
    await sdk.paymentIntents.list({ limit: 1 });
  } catch (error) {
    return { ok: false, message: wordsOf(stripeError(error)) };
  }
  return {
    ok: true,
    message: `Stripe accepts the secret key${mode === 'test' ? '. It is in test mode: no money moves' : ''}`,
  };
}

/** @param timeoutMs how long one call may take */
export async function connect(ctx: ProcessorCtx, timeoutMs = TIMEOUT_MS): Promise<Connection> {
  const sdk = await stripeClient(ctx, timeoutMs);
  return {
    pay: (request) => pay(ctx, sdk, request),
    lookup: (request) => lookup(sdk, request),
    confirm: (request) => confirm(sdk, request),
    capture: (request) => capture(sdk, request),
    void: (request) => giveUp(sdk, request),
    refund: (request) => refund(sdk, request),
    lookupRefund: (request) => lookupRefund(sdk, request),
    verify: async (rawBody, headers) => verify(ctx, rawBody, headers),
    test: () => test(ctx, sdk),
  };
}

export const stripe: Processor = {
  id: 'stripe',
  name: 'Stripe',
  displayName: 'Credit or debit card',
  kind: 'card',
  capabilities: { payments: true, refunds: true, subscriptions: false, authorize: true, redirect: true },
  fields: processorFields.stripe,
  client,
  connect: (ctx) => connect(ctx),
};
