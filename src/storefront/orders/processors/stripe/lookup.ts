import type StripeSdk from 'stripe';
import type { LookupRequest, Outcome } from '../contract.ts';
import { lostOutcome, NO_AMOUNT } from '../outcome.ts';
import { windowAround } from '../window.ts';
import { fateOf, stripeError, wordsOf } from './failure.ts';
import { idOf, outcomeOfIntent, outcomeOfPage } from './outcome.ts';
import { EXPANDED } from './pay.ts';

const PAGE_SIZE = 100;
/** Payments in that time; a shop that makes more is searched by the index, which is minutes behind. */
const MOST_LISTED = 1000;

const isPage = (transactionId: string): boolean => transactionId.startsWith('cs_');

async function intentBy(sdk: StripeSdk, transactionId: string): Promise<Outcome> {
  return outcomeOfIntent(await sdk.paymentIntents.retrieve(transactionId, { expand: EXPANDED }));
}

/** A page that was paid on has become a payment. */
async function outcomeOfPaid(sdk: StripeSdk, page: StripeSdk.Checkout.Session): Promise<Outcome> {
  const intentId = idOf(page.payment_intent);
  if (intentId === null || page.status === 'open') return outcomeOfPage(page);
  return intentBy(sdk, intentId);
}

/** What a transaction is by now: a payment, or a page to pay on. */
export async function outcomeBy(sdk: StripeSdk, transactionId: string): Promise<Outcome> {
  return isPage(transactionId)
    ? outcomeOfPaid(sdk, await sdk.checkout.sessions.retrieve(transactionId))
    : intentBy(sdk, transactionId);
}

/** The list is up to date at once, which the search index is not. */
async function listed(sdk: StripeSdk, { paymentId, createdAt }: LookupRequest): Promise<Outcome | null> {
  const { from, until } = windowAround(createdAt);
  const created = { gte: Math.floor(from.getTime() / 1000), lte: Math.floor(until.getTime() / 1000) };
  const ofOurs = ({ metadata }: { metadata: Record<string, string> | null }) =>
    metadata?.payment_id === paymentId;
  let seen = 0;
  for await (const intent of sdk.paymentIntents.list({
    created,
    limit: PAGE_SIZE,
    expand: ['data.latest_charge'],
  })) {
    if (ofOurs(intent)) return outcomeOfIntent(intent);
    if ((seen += 1) >= MOST_LISTED) break;
  }
  if (seen >= MOST_LISTED) {
    const query = `metadata['payment_id']:'${paymentId}'`;
    const { data } = await sdk.paymentIntents.search({ query, expand: ['data.latest_charge'] });
    const found = data.find(ofOurs);
    if (found) return outcomeOfIntent(found);
  }
  for await (const page of sdk.checkout.sessions.list({ created, limit: PAGE_SIZE })) {
    if (ofOurs(page)) return outcomeOfPaid(sdk, page);
    if ((seen += 1) >= 2 * MOST_LISTED) break;
  }
  return null;
}

/** What Stripe knows of a payment. */
export async function lookup(sdk: StripeSdk, request: LookupRequest): Promise<Outcome | 'unknown'> {
  const { transactionId } = request;
  try {
    if (transactionId !== null) return await outcomeBy(sdk, transactionId);
    return (await listed(sdk, request)) ?? 'unknown';
  } catch (error) {
    return outcomeOfAsking(error, transactionId) ?? 'unknown';
  }
}

/** What a question that failed says of its payment: nothing. @returns null when there is no such payment */
export function outcomeOfAsking(error: unknown, transactionId: string | null): Outcome | null {
  const failure = stripeError(error);
  if (fateOf(failure) === 'refused' && failure.statusCode === 404) return null;
  return lostOutcome(NO_AMOUNT, wordsOf(failure), { transactionId });
}
