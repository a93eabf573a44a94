import type { Ctx } from '#kernel/context.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import type { SignedInAccount } from '#platform/passwords/index.ts';
import { noteProof } from '#platform/sessions/index.ts';
import { type Merged, merge, moveCart } from '#storefront/buying/cart/index.ts';
import { noteDevice } from '#storefront/people/accounts/index.ts';
import { languageOf } from './browser.ts';

const CHALLENGE = 'customer-challenge';

/** What a sign-in led to. */
export type Begun =
  | { readonly challengeId: string }
  | { readonly challengeId: null; readonly merged: Merged };

/**
 * Begins the session of a customer who was admitted, under a new id; with a second factor it may do nothing but prove it.
 * What the browser had in its cart comes along (storefront-domain 7.4).
 *
 * @param isRemembered stays signed in without requests, and when the browser is closed
 */
export async function begin(
  ctx: Ctx,
  visitor: Visitor,
  { id, generation, needsSecondFactor }: Omit<SignedInAccount, 'email'>,
  isRemembered: boolean,
): Promise<Begun> {
  const { session } = visitor;
  const before = session.key;
  const who = { kind: 'customer', id, generation, isRemembered } as const;
  if (needsSecondFactor) {
    const challengeId = ctx.newId('chl');
    session.write(CHALLENGE, challengeId);
    await session.signIn({ ...who, isSecondFactorPending: true });
    await moveCart(ctx, before, session.key);
    return { challengeId };
  }
  const merged = await merge(ctx, { sessionKey: before ?? '', customerId: id });
  await noteDevice(ctx, id, visitor.device, await languageOf(visitor));
  session.write(CHALLENGE, undefined);
  noteProof(ctx, session, id);
  await session.signIn(who);
  return { challengeId: null, merged };
}

/** Whether a challenge is the one that the session of a browser waits for. */
export const isChallenged = ({ session }: Visitor, challengeId: string): boolean =>
  session.pendingCustomer !== null && session.read(CHALLENGE) === challengeId;
