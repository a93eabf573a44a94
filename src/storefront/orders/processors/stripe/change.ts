import type StripeSdk from 'stripe';
import type {
  AmountRequest,
  ChangeRequest,
  Outcome,
  RefundOutcome,
  RefundRequest,
  Settled,
} from '../contract.ts';
import { declinedOutcome, lostOutcome, NO_AMOUNT } from '../outcome.ts';
import { fateOf, stripeError, wordsOf } from './failure.ts';
import { outcomeBy, outcomeOfAsking } from './lookup.ts';
import { outcomeOfIntent } from './outcome.ts';
import { EXPANDED } from './pay.ts';
import { fromUnits, toUnits } from './units.ts';

/** After a call was refused: what the payment is instead. */
async function asItIs(sdk: StripeSdk, transactionId: string, message: string): Promise<Outcome> {
  try {
    return { ...(await outcomeBy(sdk, transactionId)), message };
  } catch (error) {
    return (
      outcomeOfAsking(error, transactionId) ??
      declinedOutcome(NO_AMOUNT, 'canceled', { transactionId, message })
    );
  }
}

/** Goes on after the buyer came back: Stripe knows what came of it. */
export async function confirm(
  sdk: StripeSdk,
  { paymentId, transactionId }: { paymentId: string; transactionId: string },
): Promise<Outcome> {
  try {
    const outcome = await outcomeBy(sdk, transactionId);
    if (outcome.raw.status !== 'requires_confirmation') return outcome;
    const options = { idempotencyKey: `${paymentId}:confirm` };
    return outcomeOfIntent(await sdk.paymentIntents.confirm(transactionId, { expand: EXPANDED }, options));
  } catch (error) {
    const failure = stripeError(error);
    if (fateOf(failure) === 'lost') return lostOutcome(NO_AMOUNT, wordsOf(failure), { transactionId });
    return asItIs(sdk, transactionId, wordsOf(failure));
  }
}

/** Takes what was authorized, or a part of it. */
export async function capture(sdk: StripeSdk, request: AmountRequest): Promise<Outcome> {
  const { transactionId, amountCents, currency, key } = request;
  const units = toUnits(amountCents, currency);
  if (units === null) return asItIs(sdk, transactionId, `Stripe cannot charge ${amountCents} of ${currency}`);
  try {
    const intent = await sdk.paymentIntents.capture(
      transactionId,
      { amount_to_capture: units, expand: EXPANDED },
      { idempotencyKey: key },
    );
    return outcomeOfIntent(intent);
  } catch (error) {
    const failure = stripeError(error);
    if (fateOf(failure) === 'lost') return lostOutcome(request, wordsOf(failure), { transactionId });
    return asItIs(sdk, transactionId, wordsOf(failure));
  }
}

/** Gives up a payment, or a page to pay on. */
export async function giveUp(sdk: StripeSdk, { transactionId, key }: ChangeRequest): Promise<Settled> {
  const options = { idempotencyKey: key };
  try {
    if (transactionId.startsWith('cs_')) await sdk.checkout.sessions.expire(transactionId, {}, options);
    else await sdk.paymentIntents.cancel(transactionId, {}, options);
    return { status: 'succeeded' };
  } catch (error) {
    const failure = stripeError(error);
    if (fateOf(failure) === 'lost') return { status: 'pending', error: wordsOf(failure) };
    const { status } = await asItIs(sdk, transactionId, '');
    // It was given up before, by us or by Stripe.
    return status === 'voided' ? { status: 'succeeded' } : { status: 'failed', error: wordsOf(failure) };
  }
}

const REFUND_STATUS: Readonly<Record<string, Settled['status']>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
};

function outcomeOfRefund(refund: StripeSdk.Refund): RefundOutcome {
  const currency = refund.currency.toUpperCase();
  const status = REFUND_STATUS[refund.status ?? ''] ?? 'pending';
  return {
    status,
    refundId: refund.id,
    amountCents: fromUnits(refund.amount, currency),
    currency,
    ...(status === 'failed' && {
      error: `Stripe could not refund it: ${refund.failure_reason ?? refund.status}`,
    }),
  };
}

const withoutRefund = (status: Settled['status'], error: string): RefundOutcome => ({
  status,
  refundId: null,
  amountCents: null,
  currency: null,
  error,
});

/** Pays back. */
export async function refund(sdk: StripeSdk, request: RefundRequest): Promise<RefundOutcome> {
  const { transactionId, amountCents, currency, key, paymentId, reason } = request;
  const units = toUnits(amountCents, currency);
  if (units === null) return withoutRefund('failed', `Stripe cannot refund ${amountCents} of ${currency}`);
  try {
    const made = await sdk.refunds.create(
      {
        payment_intent: transactionId,
        amount: units,
        metadata: {
          payment_id: paymentId,
          refund_key: key,
          reason: reason.slice(0, 500),
          source: 'appctl-store',
        },
      },
      { idempotencyKey: key },
    );
    return outcomeOfRefund(made);
  } catch (error) {
    const failure = stripeError(error);
    return withoutRefund(fateOf(failure) === 'lost' ? 'pending' : 'failed', wordsOf(failure));
  }
}

/** What became of a refund. */
export async function lookupRefund(
  sdk: StripeSdk,
  { refundId, transactionId, key }: AmountRequest & { refundId: string | null },
): Promise<RefundOutcome | 'unknown'> {
  try {
    if (refundId !== null) return outcomeOfRefund(await sdk.refunds.retrieve(refundId));
    for await (const one of sdk.refunds.list({ payment_intent: transactionId, limit: 100 }))
      if (one.metadata?.refund_key === key) return outcomeOfRefund(one);
    return 'unknown';
  } catch (error) {
    const failure = stripeError(error);
    return failure.statusCode === 404 ? 'unknown' : withoutRefund('pending', wordsOf(failure));
  }
}
