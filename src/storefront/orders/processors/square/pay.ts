import type { SquareClient } from 'square';
import type { LookupRequest, Outcome, PayRequest, ProcessorCtx } from '../contract.ts';
import { lostOutcome, NO_AMOUNT } from '../outcome.ts';
import { windowAround } from '../window.ts';
import { locationOf } from './client.ts';
import { fateOf, outcomeOfFailure, squareFailure, wordsOf } from './failure.ts';
import { linkOf, outcomeOfLink, payThere } from './link.ts';
import { moneyOf, outcomeOfPayment } from './outcome.ts';

/** More payments within half an hour than a shop of this size has. */
const MOST_LISTED = 2000;

/** Charges a card that the browser made a token of. */
async function payHere(
  ctx: ProcessorCtx,
  sdk: SquareClient,
  request: PayRequest,
  sourceId: string,
): Promise<Outcome> {
  const { payment } = await sdk.payments.create({
    sourceId,
    idempotencyKey: request.paymentId,
    amountMoney: moneyOf(request.amountCents, request.currency),
    autocomplete: request.capture,
    locationId: locationOf(ctx),
    referenceId: request.paymentId,
    note: request.orderId,
  });
  return payment ? outcomeOfPayment(payment) : lostOutcome(request, 'Square answered without a payment');
}

/** Charges, or opens the page to pay on. */
export async function pay(ctx: ProcessorCtx, sdk: SquareClient, request: PayRequest): Promise<Outcome> {
  try {
    return request.sourceId === null
      ? await payThere(ctx, sdk, request)
      : await payHere(ctx, sdk, request, request.sourceId);
  } catch (error) {
    return outcomeOfFailure(ctx, request, squareFailure(error));
  }
}

/** What a transaction is by now: a payment, or a page to pay on. */
export async function outcomeBy(sdk: SquareClient, transactionId: string): Promise<Outcome> {
  if (linkOf(transactionId)) return outcomeOfLink(sdk, transactionId);
  const { payment } = await sdk.payments.get({ paymentId: transactionId });
  return payment ? outcomeOfPayment(payment) : lostOutcome(NO_AMOUNT, 'no payment', { transactionId });
}

async function listed(
  ctx: ProcessorCtx,
  sdk: SquareClient,
  { paymentId, createdAt }: LookupRequest,
): Promise<Outcome | null> {
  const { from, until } = windowAround(createdAt);
  const page = await sdk.payments.list({
    locationId: locationOf(ctx),
    beginTime: from.toISOString(),
    endTime: until.toISOString(),
    limit: 100,
  });
  let seen = 0;
  for await (const payment of page) {
    if (payment.referenceId === paymentId || payment.note === paymentId) return outcomeOfPayment(payment);
    if ((seen += 1) >= MOST_LISTED) break;
  }
  return null;
}

/** What a question that failed says of its payment: nothing. @returns null when there is no such payment */
export function outcomeOfAsking(error: unknown, transactionId: string | null): Outcome | null {
  const failure = squareFailure(error);
  if (fateOf(failure) === 'refused' && failure.statusCode === 404) return null;
  return lostOutcome(NO_AMOUNT, wordsOf(failure), { transactionId });
}

/** What Square knows of a payment. */
export async function lookup(
  ctx: ProcessorCtx,
  sdk: SquareClient,
  request: LookupRequest,
): Promise<Outcome | 'unknown'> {
  const { transactionId } = request;
  try {
    if (transactionId !== null) return await outcomeBy(sdk, transactionId);
    return (await listed(ctx, sdk, request)) ?? 'unknown';
  } catch (error) {
    return outcomeOfAsking(error, transactionId) ?? 'unknown';
  }
}
