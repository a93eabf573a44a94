import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { storeFail } from '#platform/store-answers/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { proveSecondFactor } from '#storefront/people/accounts/index.ts';
import { type Begun, begin, isChallenged } from './begin.ts';
import { AUTH, browserOf, open } from './browser.ts';
import { ChallengeBody } from './schemas.ts';
import { SignedInView, signedInView } from './views.ts';

/** The second step of a sign-in, by a code of the app or one of the recovery codes. @returns null for a wrong one */
export async function takeSecondStep(
  ctx: Ctx,
  visitor: Visitor,
  { code, recoveryCode }: { code?: string | undefined; recoveryCode?: string | undefined },
): Promise<Begun | null> {
  const pending = visitor.session.pendingCustomer;
  const proof = code ? { code } : { recoveryCode: recoveryCode ?? '' };
  if (!pending || !(await proveSecondFactor(ctx, pending.id, proof))) return null;
  return begin(ctx, visitor, { ...pending, needsSecondFactor: false }, pending.isRemembered);
}

export const secondStepEndpoint = endpoint({
  ...open,
  method: 'post',
  path: `${AUTH}/login/2fa`,
  summary: 'Finish signing in with a code',
  limit: limits.customerCode,
  body: ChallengeBody,
  replies: { 200: z.object({ data: SignedInView }) },
  async handle(ctx, { body, visitor }) {
    const browser = browserOf(visitor);
    const { pendingCustomer } = browser.session;
    if (!pendingCustomer || !isChallenged(browser, body.challenge_id))
      throw storeFail('AUTH_UNAUTHORIZED', 'This challenge has expired. Sign in again');
    const begun = await takeSecondStep(ctx, browser, { code: body.code, recoveryCode: body.recovery_code });
    if (!begun || begun.challengeId !== null)
      throw storeFail('AUTH_UNAUTHORIZED', 'This code is wrong or has already been used');
    return ok({ data: await signedInView(ctx, browser, pendingCustomer.id, begun.merged) });
  },
});
