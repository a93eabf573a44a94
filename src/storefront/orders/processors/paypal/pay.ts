import type { CheckoutPaymentIntent } from '@paypal/paypal-server-sdk';
import type { LookupRequest, Outcome, PayRequest, ProcessorCtx } from '../contract.ts';
import { declinedOutcome, lostOutcome, NO_AMOUNT } from '../outcome.ts';
import type { PayPalSdk } from './client.ts';
import { fateOf, issueOf, outcomeOfFailure, paypalFailure, wordsOf } from './failure.ts';
import { outcomeOfCapture, outcomeOfOrder } from './outcome.ts';
import { toValue } from './units.ts';

const WHOLE_ANSWER = 'return=representation';

/** Opens an order that the buyer agrees to on PayPal's page: no money moves before `confirm`. */
export async function pay(ctx: ProcessorCtx, sdk: PayPalSdk, request: PayRequest): Promise<Outcome> {
  const { paymentId, orderId, amountCents, currency, description, returnUrl, cancelUrl } = request;
  const value = toValue(amountCents, currency);
  if (value === null) return declinedOutcome(request, 'amount_not_chargeable');
  try {
    const { result } = await sdk.orders.createOrder({
      paypalRequestId: paymentId,
      prefer: WHOLE_ANSWER,
      body: {
        intent: 'CAPTURE' as CheckoutPaymentIntent,
        purchaseUnits: [
          {
            referenceId: orderId,
            customId: paymentId,
            description,
            amount: { currencyCode: currency, value },
          },
        ],
        paymentSource: {
          paypal: {
            experienceContext: {
              returnUrl,
              cancelUrl,
              // The shop has asked for the address, and the amount is final.
              shippingPreference: 'NO_SHIPPING' as never,
              userAction: 'PAY_NOW' as never,
            },
          },
        },
      },
    });
    return outcomeOfOrder(result);
  } catch (error) {
    return outcomeOfFailure(ctx, request, paypalFailure(error));
  }
}

/** What a transaction is by now: an order, or what was captured of one. @throws what the SDK throws */
export async function outcomeBy(sdk: PayPalSdk, transactionId: string): Promise<Outcome> {
  try {
    return outcomeOfOrder((await sdk.orders.getOrder({ id: transactionId })).result);
  } catch (error) {
    if (paypalFailure(error).statusCode !== 404) throw error;
  }
  const { result } = await sdk.payments.getCapturedPayment({ captureId: transactionId });
  return outcomeOfCapture(result);
}

/** What a question that failed says of its payment: nothing. @returns null when there is no such payment */
export function outcomeOfAsking(error: unknown, transactionId: string): Outcome | null {
  const failure = paypalFailure(error);
  if (fateOf(failure) === 'refused' && failure.statusCode === 404) return null;
  return lostOutcome(NO_AMOUNT, wordsOf(failure), { transactionId });
}

/**
 * What PayPal knows of a payment. Without its transaction nobody was ever shown the page on which to agree: no money can
 * move, and none is asked for.
 */
export async function lookup(sdk: PayPalSdk, { transactionId }: LookupRequest): Promise<Outcome | 'unknown'> {
  if (transactionId === null) return 'unknown';
  try {
    return await outcomeBy(sdk, transactionId);
  } catch (error) {
    return outcomeOfAsking(error, transactionId) ?? 'unknown';
  }
}

/** Takes the money of an order that the buyer agreed to. */
export async function confirm(
  ctx: ProcessorCtx,
  sdk: PayPalSdk,
  { paymentId, transactionId }: { readonly paymentId: string; readonly transactionId: string },
): Promise<Outcome> {
  const asked = { paymentId, ...NO_AMOUNT };
  try {
    // A refusal would be repeated under the same key, also after the buyer agreed.
    const outcome = await outcomeBy(sdk, transactionId);
    if (outcome.nextAction?.kind !== 'confirm') return outcome;
    const { result } = await sdk.orders.captureOrder({
      id: transactionId,
      paypalRequestId: `${paymentId}:capture`,
      prefer: WHOLE_ANSWER,
    });
    return outcomeOfOrder(result);
  } catch (error) {
    const failure = paypalFailure(error);
    if (fateOf(failure) !== 'refused') {
      const words = wordsOf(failure);
      return lostOutcome(NO_AMOUNT, words, { transactionId });
    }
    if (issueOf(failure) === 'INSTRUMENT_DECLINED')
      return outcomeOfFailure(ctx, asked, failure, { transactionId, methodLabel: 'PayPal' });
    return asItIs(sdk, transactionId, wordsOf(failure));
  }
}

/** After a call was refused: what the payment is instead. */
export async function asItIs(sdk: PayPalSdk, transactionId: string, message: string): Promise<Outcome> {
  try {
    return { ...(await outcomeBy(sdk, transactionId)), message };
  } catch (error) {
    return (
      outcomeOfAsking(error, transactionId) ??
      declinedOutcome(NO_AMOUNT, 'canceled', { transactionId, message })
    );
  }
}
