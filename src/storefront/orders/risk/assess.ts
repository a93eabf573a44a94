import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { riskFirstOrderCents, riskReviewScore } from '#storefront/contract/selling-settings.ts';
import { emailNormed } from '#storefront/people/customers/index.ts';
import * as orders from '../orders/index.ts';
import { cardsOf, emailsOf } from './queries.ts';
import type { Tally } from './repository.ts';
import { MANY, riskOf } from './score.ts';
import { countCard } from './tries.ts';

type Order = orders.Order;

/** What is known about the card of a payment. */
export interface Card {
  readonly fingerprint: string | null;
  readonly country: string | null;
}

const isLargeFirst = async (ctx: Ctx, { totalCents, customerId, email }: Order): Promise<boolean> => {
  const least = ctx.settings.get(riskFirstOrderCents);
  if (least === 0 || totalCents < least) return false;
  return !(await orders.hasOrdered(ctx, { customerId, emailNorm: emailNormed(email) }));
};

/**
 * What is known before the card is: an order that is a risk already is authorized only, and its money taken when staff
 * have looked at it. @returns null for one without a reason
 */
export async function assessBefore(ctx: Ctx, order: Order, { declines }: Tally): Promise<orders.Risk | null> {
  const risk = riskOf({
    cardCountry: null,
    billingCountry: null,
    cards: 0,
    emails: 0,
    isOftenDeclined: declines >= MANY,
    isCardTriedOften: false,
    isLargeFirstOrder: await isLargeFirst(ctx, order),
  });
  return risk.reasons.length === 0 ? null : risk;
}

/**
 * Judges an order whose payment was accepted, in the transaction that places it and before it is placed. Counts that the
 * card has paid.
 */
export async function assess(ctx: Ctx, order: Order, { fingerprint, country }: Card): Promise<orders.Risk> {
  const since = addSeconds(ctx.now(), -SECONDS_PER_DAY);
  const isCardTriedOften = fingerprint !== null && (await countCard(ctx, fingerprint));
  const addresses = country === null ? [] : await orders.addressesOf(ctx, order.id);
  const of = (kind: 'billing' | 'shipping') => addresses.find((one) => one.kind === kind)?.country;
  return riskOf({
    cardCountry: country,
    billingCountry: of('billing') ?? of('shipping') ?? null,
    cards: await cardsOf(ctx, emailNormed(order.email), since),
    emails: fingerprint === null ? 0 : await emailsOf(ctx, fingerprint, since),
    // As it was when the payment began: what was declined since is another try.
    isOftenDeclined: order.risk?.reasons.includes('many_declines') ?? false,
    isCardTriedOften,
    isLargeFirstOrder: await isLargeFirst(ctx, order),
  });
}

/** Whether staff look at an order of such a risk before it goes on. */
export function needsReview({ settings }: Ctx, risk: orders.Risk | null): boolean {
  const least = settings.get(riskReviewScore);
  return least > 0 && risk !== null && risk.score >= least;
}
