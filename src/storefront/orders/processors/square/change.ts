import type { Square, SquareClient } from 'square';
import type {
  AmountRequest,
  ChangeRequest,
  Outcome,
  RefundOutcome,
  RefundRequest,
  Settled,
} from '../contract.ts';
import { declinedOutcome, lostOutcome, NO_AMOUNT } from '../outcome.ts';
import { keyOf } from './client.ts';
import { fateOf, squareFailure, wordsOf } from './failure.ts';
import { linkOf } from './link.ts';
import { askedOf, moneyOf, outcomeOfPayment } from './outcome.ts';
import { outcomeBy, outcomeOfAsking } from './pay.ts';

/** After a call was refused: what the payment is instead. */
async function asItIs(sdk: SquareClient, transactionId: string, message: string): Promise<Outcome> {
  try {
    return { ...(await outcomeBy(sdk, transactionId)), message };
  } catch (error) {
    return (
      outcomeOfAsking(error, transactionId) ??
      declinedOutcome(NO_AMOUNT, 'canceled', { transactionId, message })
    );
  }
}

/** Goes on after the buyer came back: Square knows what came of it. */
export async function confirm(sdk: SquareClient, transactionId: string): Promise<Outcome> {
  try {
    return await outcomeBy(sdk, transactionId);
  } catch (error) {
    return outcomeOfAsking(error, transactionId) ?? declinedOutcome(NO_AMOUNT, 'canceled', { transactionId });
  }
}

/** Takes what was authorized; a part of it after the payment was lowered to that. */
export async function capture(sdk: SquareClient, request: AmountRequest): Promise<Outcome> {
  const { transactionId: paymentId, amountCents, currency, key } = request;
  try {
    const { payment: held } = await sdk.payments.get({ paymentId });
    if (held?.status === 'APPROVED' && Number(held.totalMoney?.amount) !== amountCents)
      await sdk.payments.update({
        paymentId,
        payment: { amountMoney: moneyOf(amountCents, currency) },
        idempotencyKey: keyOf(key),
      });
    const { payment } = await sdk.payments.complete({ paymentId });
    return payment
      ? outcomeOfPayment(payment)
      : lostOutcome(request, 'Square answered without a payment', { transactionId: paymentId });
  } catch (error) {
    const failure = squareFailure(error);
    if (fateOf(failure) === 'lost')
      return lostOutcome(request, wordsOf(failure), { transactionId: paymentId });
    return asItIs(sdk, paymentId, wordsOf(failure));
  }
}

/** Gives up a payment, or a page to pay on. */
export async function giveUp(sdk: SquareClient, { transactionId }: ChangeRequest): Promise<Settled> {
  const link = linkOf(transactionId);
  try {
    if (link) await sdk.checkout.paymentLinks.delete({ id: link.linkId });
    else await sdk.payments.cancel({ paymentId: transactionId });
    return { status: 'succeeded' };
  } catch (error) {
    const failure = squareFailure(error);
    if (fateOf(failure) === 'lost') return { status: 'pending', error: wordsOf(failure) };
    const { status } = await asItIs(sdk, transactionId, '');
    // It was given up before, by us or by Square.
    return status === 'voided' ? { status: 'succeeded' } : { status: 'failed', error: wordsOf(failure) };
  }
}

const REFUND_STATUS: Readonly<Record<string, Settled['status']>> = {
  COMPLETED: 'succeeded',
  REJECTED: 'failed',
  FAILED: 'failed',
};

const MOST_REASON = 120;

/** Square repeats the reason, and nothing else of ours: it carries the key. */
const reasonWith = (reason: string, key: string): string =>
  `${reason.slice(0, MOST_REASON)} [${keyOf(key)}]`.trim();

/** The key in a reason. */
export const keyIn = (reason: string | null | undefined): string | null =>
  /\[([^[\]]+)\]$/.exec(reason ?? '')?.[1] ?? null;

function outcomeOfRefund(refund: Square.PaymentRefund): RefundOutcome {
  const status = REFUND_STATUS[refund.status ?? ''] ?? 'pending';
  return {
    status,
    refundId: refund.id,
    ...askedOf(refund.amountMoney),
    ...(status === 'failed' && { error: `Square could not refund it: ${refund.status}` }),
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
export async function refund(sdk: SquareClient, request: RefundRequest): Promise<RefundOutcome> {
  const { transactionId, amountCents, currency, key, reason } = request;
  try {
    const { refund: made } = await sdk.refunds.refundPayment({
      idempotencyKey: keyOf(key),
      paymentId: transactionId,
      amountMoney: moneyOf(amountCents, currency),
      reason: reasonWith(reason, key),
    });
    return made ? outcomeOfRefund(made) : withoutRefund('pending', 'Square answered without a refund');
  } catch (error) {
    const failure = squareFailure(error);
    return withoutRefund(fateOf(failure) === 'lost' ? 'pending' : 'failed', wordsOf(failure));
  }
}

/** What became of a refund. */
export async function lookupRefund(
  sdk: SquareClient,
  { refundId, transactionId, key }: AmountRequest & { refundId: string | null },
): Promise<RefundOutcome | 'unknown'> {
  try {
    const { payment } = refundId === null ? await sdk.payments.get({ paymentId: transactionId }) : {};
    for (const id of refundId === null ? (payment?.refundIds ?? []) : [refundId]) {
      const { refund } = await sdk.refunds.get({ refundId: id });
      if (refund && (refundId !== null || keyIn(refund.reason) === keyOf(key)))
        return outcomeOfRefund(refund);
    }
    return 'unknown';
  } catch (error) {
    const failure = squareFailure(error);
    return failure.statusCode === 404 ? 'unknown' : withoutRefund('pending', wordsOf(failure));
  }
}
