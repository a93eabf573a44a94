import type { Ctx } from '#kernel/context.ts';
import { equalSecrets } from '#kernel/crypto.ts';
import { fail } from '#kernel/service/errors.ts';
import { type ConsentNoted, noteConsent } from '../consents/index.ts';
import * as customers from '../customers/index.ts';
import { leave, leaveById } from '../newsletter/index.ts';

/** A choice about marketing, and how it was made. */
export type MarketingChoice = Omit<ConsentNoted, 'customerId' | 'subscriberId'>;

/**
 * Notes that a customer wants emails about offers, or wants them no more, with its proof. The same again is unchanged.
 *
 * @throws AppError NOT_FOUND
 */
export const setMarketing = (
  ctx: Ctx,
  customerId: string,
  choice: MarketingChoice,
): Promise<customers.Customer> =>
  ctx.tx(async (ctx) => {
    const before = await customers.lockCustomer(ctx, customerId);
    await noteMarketing(ctx, before, choice);
    if (before.status === 'anonymised') return before;
    return customers.changeCustomer(ctx, before, { acceptsMarketing: choice.granted });
  });

/**
 * Notes the proof of a choice that is stored with other changes of a customer, in their transaction; the newsletter ends
 * with a consent. The same again is unchanged.
 */
export async function noteMarketing(
  ctx: Ctx,
  before: customers.Customer,
  choice: MarketingChoice,
): Promise<void> {
  if (!choice.granted && customers.isProved(before)) await leave(ctx, before.email, choice.source);
  if (before.acceptsMarketing === choice.granted || before.status === 'anonymised') return;
  await noteConsent(ctx, { ...choice, customerId: before.id });
}

const proofOf = (ctx: Ctx, id: string): string => ctx.keyring.digest('lookup', `unsubscribe:${id}`);

/**
 * What a link to leave carries, of a customer or a subscriber of the newsletter: it is made again for each mail, works as
 * often as somebody follows it, and nothing of it is stored.
 */
export const unsubscribeToken = (ctx: Ctx, id: string): string => `${id}.${proofOf(ctx, id)}`;

/** Where such a link leads; its button, or a POST of a mail program, unsubscribes. */
export const unsubscribePath = (ctx: Ctx, id: string): string =>
  `/shop/unsubscribe/${unsubscribeToken(ctx, id)}`;

/** Whose token it is; null for one that this shop has not made. */
export function readUnsubscribe(ctx: Ctx, token: string): string | null {
  const [id = '', proof = ''] = token.split('.');
  return equalSecrets(proof, proofOf(ctx, id)) ? id : null;
}

/**
 * Ends emails about offers by the link of a mail: a withdrawal of the consent. Again, and of somebody who is gone:
 * nothing happens.
 *
 * @throws AppError VALIDATION_ERROR, reason TOKEN_INVALID
 */
export async function unsubscribe(ctx: Ctx, token: string): Promise<void> {
  const id = readUnsubscribe(ctx, token);
  if (id === null)
    throw fail('VALIDATION_ERROR', 'This link is not valid. Use the link in the latest email', {
      details: { reason: 'TOKEN_INVALID' },
    });
  if (id.startsWith('nls_')) await leaveById(ctx, id);
  else if (await customers.find(ctx, id))
    await setMarketing(ctx, id, { granted: false, source: 'unsubscribe' });
}
