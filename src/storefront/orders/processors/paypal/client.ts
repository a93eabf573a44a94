import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { processorFields } from '#storefront/contract/payment-settings.ts';
import type { ProcessorCtx } from '../contract.ts';
import { paymentUnavailable } from '../errors.ts';

const [clientIdField, clientSecretField, webhookIdField, environmentField] = processorFields.paypal;

/** As long as a buyer waits (storefront-domain section 11). */
export const TIMEOUT_MS = 30_000;

export const clientIdOf = (ctx: ProcessorCtx): string | null => ctx.settings.get(clientIdField.setting);
export const webhookIdOf = (ctx: ProcessorCtx): string | null => ctx.settings.get(webhookIdField.setting);
export const isSandbox = (ctx: ProcessorCtx): boolean =>
  ctx.settings.get(environmentField.setting) === 'sandbox';

/** The SDK with what the shop calls of it. */
export type PayPalSdk = Awaited<ReturnType<typeof paypalClient>>;

/**
 * The official SDK with the credentials of the settings; it is loaded now.
 *
 * @throws AppError VALIDATION_ERROR with reason PAYMENT_UNAVAILABLE without credentials
 */
export async function paypalClient(ctx: ProcessorCtx, timeoutMs: number) {
  const oAuthClientId = clientIdOf(ctx);
  const oAuthClientSecret = ctx.settings.get(clientSecretField.setting);
  if (oAuthClientId === null || oAuthClientSecret === null)
    throw paymentUnavailable('PayPal is not set up: it has no client ID, or no client secret');
  const sdk = await import('@paypal/paypal-server-sdk');
  const place = ctx.processorUrls.get('paypal');
  /** The SDK knows two addresses and takes no other: each request, also for a token, goes to the same path of this one. */
  class Elsewhere extends sdk.Client {
    override getRequestBuilderFactory(): ReturnType<typeof sdk.Client.prototype.getRequestBuilderFactory> {
      const make = super.getRequestBuilderFactory();
      return (...named) => {
        const builder = make(...named);
        if (place !== undefined)
          builder.interceptRequest((request) => ({ ...request, url: movedTo(place, request.url) }));
        return builder;
      };
    }
  }
  const client = new Elsewhere({
    clientCredentialsAuthCredentials: { oAuthClientId, oAuthClientSecret },
    environment: isSandbox(ctx) ? sdk.Environment.Sandbox : sdk.Environment.Production,
    timeout: timeoutMs,
    httpClientOptions: {
      // A repetition belongs to whoever knows what became of the first call.
      retryConfig: { maxNumberOfRetries: 0 },
      // A connection that was kept may be closed by the other side just when a payment goes out on it.
      httpAgent: new HttpAgent({ keepAlive: false }),
      httpsAgent: new HttpsAgent({ keepAlive: false }),
    },
  });
  return {
    client,
    orders: new sdk.OrdersController(client),
    payments: new sdk.PaymentsController(client),
  };
}

function movedTo(place: string, url: string): string {
  const { pathname, search } = new URL(url);
  return `${place}${pathname}${search}`;
}
