import type StripeSdk from 'stripe';
import type { Outcome, PayRequest, ProcessorCtx } from '../contract.ts';
import { declinedOutcome } from '../outcome.ts';
import { outcomeOfFailure, stripeError } from './failure.ts';
import { outcomeOfIntent, outcomeOfPage } from './outcome.ts';
import { toUnits } from './units.ts';

export const EXPANDED = ['latest_charge'];

/** Whose charge it is: for lookups, for whoever reads the dashboard, and for our own license service. */
export const metadataOf = ({ paymentId, orderId }: { paymentId: string; orderId: string }) => ({
  payment_id: paymentId,
  order_id: orderId,
  source: 'appctl-store',
});

function shared(request: PayRequest, units: number) {
  return {
    amount: units,
    currency: request.currency.toLowerCase(),
    capture_method: request.capture ? ('automatic' as const) : ('manual' as const),
  };
}

/** A source is a payment method, or what the browser confirmed one with. */
const sourceOf = (sourceId: string) =>
  sourceId.startsWith('ctoken_') ? { confirmation_token: sourceId } : { payment_method: sourceId };

async function payHere(
  sdk: StripeSdk,
  request: PayRequest,
  sourceId: string,
  units: number,
): Promise<Outcome> {
  const intent = await sdk.paymentIntents.create(
    {
      ...shared(request, units),
      ...sourceOf(sourceId),
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: 'always' },
      return_url: request.returnUrl,
      description: request.description,
      metadata: metadataOf(request),
      expand: EXPANDED,
    },
    { idempotencyKey: request.paymentId },
  );
  return outcomeOfIntent(intent);
}

/** On Stripe's own page, which needs no script of ours (shop-pages 2.4). */
async function payThere(sdk: StripeSdk, request: PayRequest, units: number): Promise<Outcome> {
  const { amount, currency, capture_method } = shared(request, units);
  const page = await sdk.checkout.sessions.create(
    {
      mode: 'payment',
      client_reference_id: request.paymentId,
      customer_email: request.email,
      line_items: [
        {
          quantity: 1,
          price_data: { currency, unit_amount: amount, product_data: { name: request.description } },
        },
      ],
      payment_intent_data: {
        capture_method,
        description: request.description,
        metadata: metadataOf(request),
      },
      metadata: metadataOf(request),
      // The buyer pays what the order says, in the currency of the shop.
      adaptive_pricing: { enabled: false },
      success_url: request.returnUrl,
      cancel_url: request.cancelUrl,
    },
    { idempotencyKey: request.paymentId },
  );
  return outcomeOfPage(page);
}

/** Charges, or opens the page to pay on. */
export async function pay(ctx: ProcessorCtx, sdk: StripeSdk, request: PayRequest): Promise<Outcome> {
  const units = toUnits(request.amountCents, request.currency);
  if (units === null) return declinedOutcome(request, 'amount_not_chargeable');
  try {
    return request.sourceId === null
      ? await payThere(sdk, request, units)
      : await payHere(sdk, request, request.sourceId, units);
  } catch (error) {
    const failure = stripeError(error);
    // A decline names the payment that it made.
    const intent = failure.payment_intent;
    if (intent && failure.type === 'StripeCardError') {
      const outcome = outcomeOfIntent(intent);
      return outcomeOfFailure(ctx, request, failure, {
        transactionId: outcome.transactionId,
        methodLabel: outcome.methodLabel,
        fingerprint: outcome.fingerprint,
        country: outcome.country,
        raw: outcome.raw,
      });
    }
    return outcomeOfFailure(ctx, request, failure, {});
  }
}
