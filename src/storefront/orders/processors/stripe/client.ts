import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type StripeSdk from 'stripe';
import { processorFields } from '#storefront/contract/payment-settings.ts';
import type { ProcessorCtx } from '../contract.ts';
import { paymentUnavailable } from '../errors.ts';

const [publishableKeyField, secretKeyField, webhookSecretField] = processorFields.stripe;

export const publishableKeyOf = (ctx: ProcessorCtx): string =>
  ctx.settings.get(publishableKeyField.setting) ?? '';
export const secretKeyOf = (ctx: ProcessorCtx): string | null => ctx.settings.get(secretKeyField.setting);
export const webhookSecretOf = (ctx: ProcessorCtx): string | null =>
  ctx.settings.get(webhookSecretField.setting);

/** As long as a buyer waits (storefront-domain section 11). */
export const TIMEOUT_MS = 30_000;

/**
 * The official SDK with the secret key of the settings; it is loaded now.
 *
 * @throws AppError VALIDATION_ERROR with reason PAYMENT_UNAVAILABLE without a key
 */
export async function stripeClient(ctx: ProcessorCtx, timeoutMs: number): Promise<StripeSdk> {
  const key = secretKeyOf(ctx);
  if (key === null) throw paymentUnavailable('Stripe is not set up: it has no secret key');
  const { Stripe } = await import('stripe');
  const place = ctx.processorUrls.get('stripe');
  const url = place === undefined ? null : new URL(place);
  const isPlain = url?.protocol === 'http:';
  // A connection that was kept may be closed by the other side just when a payment goes out on it.
  const agent = isPlain ? new HttpAgent({ keepAlive: false }) : new HttpsAgent({ keepAlive: false });
  return new Stripe(key, {
    timeout: timeoutMs,
    // A repetition belongs to whoever knows what became of the first call.
    maxNetworkRetries: 0,
    httpClient: withoutRepeating(Stripe.createNodeHttpClient(agent)),
    telemetry: false,
    ...(url && {
      host: url.hostname,
      port: url.port || (isPlain ? 80 : 443),
      protocol: isPlain ? ('http' as const) : ('https' as const),
    }),
  });
}

type HttpClient = ReturnType<typeof StripeSdk.createNodeHttpClient>;

/**
 * The SDK repeats a call whose connection broke, whatever it was told about retries; that nobody answered the second one
 * would then say that the first was never sent. Under a name of our own it lets be.
 */
const withoutRepeating = (inner: HttpClient): HttpClient => ({
  getClientName: () => inner.getClientName(),
  makeRequest: (...call) =>
    inner.makeRequest(...call).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
      throw Object.assign(new Error(error.message), { code: 'CONNECTION_BROKE' });
    }),
});
