import type { Refund } from '@paypal/paypal-server-sdk';
import type { AmountRequest, ChangeRequest, RefundOutcome, RefundRequest, Settled } from '../contract.ts';
import type { PayPalSdk } from './client.ts';
import { fateOf, paypalFailure, wordsOf } from './failure.ts';
import { askedOf } from './outcome.ts';
import { asItIs } from './pay.ts';
import { toValue } from './units.ts';

/** An order that nobody captures takes no money and ends by itself: it is given up by not going on. */
export async function giveUp(sdk: PayPalSdk, { transactionId }: ChangeRequest): Promise<Settled> {
  const { status, raw } = await asItIs(sdk, transactionId, '');
  if (status === 'captured') return { status: 'failed', error: 'PayPal has already taken the money' };
  if (status === 'pending') return { status: 'pending', error: String(raw.error ?? 'not final yet') };
  return { status: 'succeeded' };
}

const STATUS: Readonly<Record<string, Settled['status']>> = {
  COMPLETED: 'succeeded',
  CANCELLED: 'failed',
  FAILED: 'failed',
};

function outcomeOfRefund(refund: Refund): RefundOutcome {
  const status = STATUS[refund.status ?? ''] ?? 'pending';
  return {
    status,
    refundId: refund.id ?? null,
    ...askedOf(refund.amount),
    ...(status === 'failed' && { error: `PayPal could not refund it: ${refund.status}` }),
  };
}

const withoutRefund = (status: Settled['status'], error: string): RefundOutcome => ({
  status,
  refundId: null,
  amountCents: null,
  currency: null,
  error,
});

const MOST_KEY = 108;
const MOST_NOTE = 255;

/** Pays back. */
export async function refund(sdk: PayPalSdk, request: RefundRequest): Promise<RefundOutcome> {
  const { transactionId, amountCents, currency, key, reason } = request;
  const value = toValue(amountCents, currency);
  if (value === null) return withoutRefund('failed', `PayPal cannot refund ${amountCents} of ${currency}`);
  try {
    const { result } = await sdk.payments.refundCapturedPayment({
      captureId: transactionId,
      paypalRequestId: key.slice(0, MOST_KEY),
      prefer: 'return=representation',
      body: {
        amount: { currencyCode: currency, value },
        customId: key.slice(0, MOST_KEY),
        ...(reason.trim() && { noteToPayer: reason.slice(0, MOST_NOTE) }),
      },
    });
    return outcomeOfRefund(result);
  } catch (error) {
    const failure = paypalFailure(error);
    return withoutRefund(fateOf(failure) === 'lost' ? 'pending' : 'failed', wordsOf(failure));
  }
}

/** What became of a refund: of one whose answer was lost, the order of its payment tells. */
export async function lookupRefund(
  sdk: PayPalSdk,
  { refundId, transactionId, key }: AmountRequest & { refundId: string | null },
): Promise<RefundOutcome | 'unknown'> {
  try {
    if (refundId !== null) return outcomeOfRefund((await sdk.payments.getRefund({ refundId })).result);
    const { result: capture } = await sdk.payments.getCapturedPayment({ captureId: transactionId });
    const id = capture.supplementaryData?.relatedIds?.orderId;
    if (id === undefined) return 'unknown';
    const { result: order } = await sdk.orders.getOrder({ id });
    const refunds = order.purchaseUnits?.flatMap((unit) => unit.payments?.refunds ?? []) ?? [];
    const found = refunds.find(({ customId }) => customId === key.slice(0, MOST_KEY));
    return found ? outcomeOfRefund(found) : 'unknown';
  } catch (error) {
    const failure = paypalFailure(error);
    return failure.statusCode === 404 ? 'unknown' : withoutRefund('pending', wordsOf(failure));
  }
}
