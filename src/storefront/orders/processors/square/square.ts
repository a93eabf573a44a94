import type { SquareClient } from 'square';
import { processorFields } from '#storefront/contract/payment-settings.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import type { ClientConfig, Connection, Processor, ProcessorCtx } from '../contract.ts';
import { capture, confirm, giveUp, lookupRefund, refund } from './change.ts';
import { applicationOf, isSandbox, locationOf, squareClient, TIMEOUT_MS } from './client.ts';
import { squareFailure, wordsOf } from './failure.ts';
import { verify } from './notification.ts';
import { lookup, pay } from './pay.ts';

/** Where the script of the browser comes from, and what it loads from where. */
function client(ctx: ProcessorCtx): ClientConfig {
  const place = ctx.processorUrls.get('square');
  const config = { application_id: applicationOf(ctx), location_id: locationOf(ctx) };
  if (place !== undefined)
    return {
      config,
      csp: { scripts: [place], frames: [place], connects: [place], images: [place], styles: [place] },
      scriptUrl: `${place}/v1/square.js`,
    };
  const scripts = `https://${isSandbox(ctx) ? 'sandbox.' : ''}web.squarecdn.com`;
  const cards = `https://pci-connect.squareup${isSandbox(ctx) ? 'sandbox' : ''}.com`;
  return {
    config,
    csp: { scripts: [scripts], frames: [scripts], connects: [cards], images: [scripts], styles: [scripts] },
    scriptUrl: `${scripts}/v1/square.js`,
  };
}

/** Whether Square takes the token, and whether the location takes payments in the currency of the shop. */
async function test(ctx: ProcessorCtx, sdk: SquareClient): Promise<{ ok: boolean; message: string }> {
  const currency = ctx.settings.get(currencyCode);
  try {
    const { location } = await sdk.locations.get({ locationId: locationOf(ctx) });
    if (location?.currency !== undefined && location.currency !== currency)
      return {
        ok: false,
        message: `The location takes payments in ${location.currency}, the prices of the shop are in ${currency}`,
      };
    if (location?.status === 'INACTIVE')
      return { ok: false, message: 'The location is not active at Square' };
  } catch (error) {
    const failure = squareFailure(error);
    if (failure.statusCode === 404)
      return { ok: false, message: 'Square does not find this location ID in the account' };
    return { ok: false, message: wordsOf(failure) };
  }
  return {
    ok: true,
    message: `Square accepts the access token${isSandbox(ctx) ? '. It is in the sandbox: no money moves' : ''}`,
  };
}

/** @param timeoutMs how long one call may take */
export async function connect(ctx: ProcessorCtx, timeoutMs = TIMEOUT_MS): Promise<Connection> {
  const sdk = await squareClient(ctx, timeoutMs);
  return {
    pay: (request) => pay(ctx, sdk, request),
    lookup: (request) => lookup(ctx, sdk, request),
    confirm: ({ transactionId }) => confirm(sdk, transactionId),
    capture: (request) => capture(sdk, request),
    void: (request) => giveUp(sdk, request),
    refund: (request) => refund(sdk, request),
    lookupRefund: (request) => lookupRefund(sdk, request),
    verify: async (rawBody, headers) => verify(ctx, rawBody, headers),
    test: () => test(ctx, sdk),
  };
}

export const square: Processor = {
  id: 'square',
  name: 'Square',
  displayName: 'Credit or debit card',
  kind: 'card',
  capabilities: { payments: true, refunds: true, subscriptions: false, authorize: true, redirect: true },
  fields: processorFields.square,
  client,
  connect: (ctx) => connect(ctx),
};
