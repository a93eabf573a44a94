import { processorFields } from '#storefront/contract/payment-settings.ts';
import type { Connection, Processor, ProcessorCtx } from '../contract.ts';
import { NOTHING_LOADED } from '../offline.ts';
import { giveUp, lookupRefund, refund } from './change.ts';
import { clientIdOf, isSandbox, type PayPalSdk, paypalClient, TIMEOUT_MS } from './client.ts';
import { paypalFailure, wordsOf } from './failure.ts';
import { verify } from './notification.ts';
import { asItIs, confirm, lookup, pay } from './pay.ts';

/** Whether PayPal gives out a token for the credentials. */
async function test(ctx: ProcessorCtx, { client }: PayPalSdk): Promise<{ ok: boolean; message: string }> {
  try {
    await client.clientCredentialsAuthManager.fetchToken();
  } catch (error) {
    return { ok: false, message: wordsOf(paypalFailure(error)) };
  }
  return {
    ok: true,
    message: `PayPal accepts the credentials${isSandbox(ctx) ? '. It is in the sandbox: no money moves' : ''}`,
  };
}

/** @param timeoutMs how long one call may take */
export async function connect(ctx: ProcessorCtx, timeoutMs = TIMEOUT_MS): Promise<Connection> {
  const sdk = await paypalClient(ctx, timeoutMs);
  return {
    pay: (request) => pay(ctx, sdk, request),
    lookup: (request) => lookup(sdk, request),
    confirm: (request) => confirm(ctx, sdk, request),
    capture: ({ transactionId }) => asItIs(sdk, transactionId, 'PayPal captures the money immediately'),
    void: (request) => giveUp(sdk, request),
    refund: (request) => refund(sdk, request),
    lookupRefund: (request) => lookupRefund(sdk, request),
    verify: (rawBody, headers) => verify(ctx, sdk, rawBody, headers),
    test: () => test(ctx, sdk),
  };
}

/** The buyer agrees on PayPal's page: the browser loads nothing of it. */
export const paypal: Processor = {
  id: 'paypal',
  name: 'PayPal',
  displayName: 'PayPal',
  kind: 'wallet',
  capabilities: { payments: true, refunds: true, subscriptions: false, authorize: false, redirect: true },
  fields: processorFields.paypal,
  client: (ctx) => ({ ...NOTHING_LOADED, config: { client_id: clientIdOf(ctx) ?? '' } }),
  connect: (ctx) => connect(ctx),
};
