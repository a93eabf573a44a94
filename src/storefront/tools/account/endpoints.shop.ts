/** How customers register and sign in (storefront-api.md, B). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { requireRoom } from '#platform/passwords/index.ts';
import { storeFail } from '#platform/store-answers/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { limits } from '#storefront/contract/limits.ts';
import * as accounts from '#storefront/people/accounts/index.ts';
import { CustomerView, customerIdOf, customerView } from '#storefront/people/customers/index.ts';
import { begin } from './begin.ts';
import { browserOf, languageOf, open, AUTH as PREFIX } from './browser.ts';
import { linkEndpoints } from './link-endpoints.ts';
import { LoginBody, RegisterBody } from './schemas.ts';
import { secondStepEndpoint } from './second-step.ts';
import { securityEndpoints } from './security-endpoints.ts';
import { SignedInView, signedInView } from './views.ts';

const registerEndpoint = endpoint({
  ...open,
  method: 'post',
  path: `${PREFIX}/register`,
  summary: 'Register as a customer',
  description:
    'An email address that already has an account gets the same answer, and its owner gets an email. While `require_email_verification` is on, customers must verify their address before they can sign in; otherwise they are signed in. The answer repeats what was sent. Until the customer is signed in, `customer.id` is a placeholder; the sign-in returns the real ID.',
  limit: limits.register,
  requireRoom,
  body: RegisterBody,
  replies: {
    200: z.object({
      data: z.object({
        customer: CustomerView,
        verification_required: z.boolean(),
        /** Of the new session. */
        csrf_token: z.string(),
      }),
    }),
  },
  async handle(ctx, { body, visitor }) {
    const browser = browserOf(visitor);
    const said = {
      email: body.email,
      firstName: body.first_name || null,
      lastName: body.last_name || null,
      acceptsMarketing: body.accepts_marketing ?? false,
    };
    const locale = await languageOf(visitor);
    const done = await accounts.register(ctx, { ...said, password: body.password, locale });
    await signInNew(ctx, browser, done);
    // What was sent, and not what is stored: of an address that has an account, nothing is told.
    const told = { ...said, phone: null, emailVerifiedAt: null, createdAt: ctx.now() };
    const customer = customerView({ ...told, id: done.signedInId ?? ctx.newId(ids.customer) }, false);
    return ok({
      data: {
        customer,
        verification_required: done.needsVerification,
        csrf_token: browser.csrfToken(),
      },
    });
  },
});

/** Signs in who has just registered, where nothing has to be verified first. */
export async function signInNew(
  ctx: Ctx,
  visitor: Visitor,
  { signedInId }: accounts.Registered,
): Promise<void> {
  const account = signedInId === null ? null : await accounts.admitNew(ctx, signedInId);
  if (account) await begin(ctx, visitor, account, false);
}

const loginEndpoint = endpoint({
  ...open,
  method: 'post',
  path: `${PREFIX}/login`,
  summary: 'Sign in as a customer',
  description:
    "The browser's cart is merged into the customer's, and the session gets a new ID. Ten wrong passwords lock an account for 15 minutes. With two-factor sign-in the answer is a challenge.",
  limit: limits.customerSignIn,
  requireRoom,
  body: LoginBody,
  replies: {
    200: later(() =>
      z.object({
        data: z.union([
          SignedInView,
          z.object({
            two_factor_required: z.literal(true),
            challenge_id: z.string(),
            csrf_token: z.string(),
          }),
        ]),
      }),
    ),
  },
  async handle(ctx, { body, visitor }) {
    const browser = browserOf(visitor);
    const account = await accounts.signIn(ctx, body);
    if (!account) throw storeFail('AUTH_UNAUTHORIZED', 'The email address or the password is wrong');
    const begun = await begin(ctx, browser, account, body.remember ?? false);
    if (begun.challengeId !== null)
      return ok({
        data: {
          two_factor_required: true as const,
          challenge_id: begun.challengeId,
          csrf_token: browser.csrfToken(),
        },
      });
    return ok({ data: await signedInView(ctx, browser, account.id, begun.merged) });
  },
});

const logoutEndpoint = endpoint({
  customer: true,
  method: 'post',
  path: `${PREFIX}/logout`,
  summary: 'Sign out; the cart stays with the customer',
  scope: null,
  limit: null,
  replies: { 200: z.object({ data: z.object({ logged_out: z.literal(true) }) }) },
  async handle(ctx, { visitor }) {
    await accounts.noteSignOut(ctx, customerIdOf(ctx));
    await visitor?.session.signOut();
    return ok({ data: { logged_out: true as const } });
  },
});

export const authEndpoints: readonly Endpoint[] = [
  registerEndpoint,
  loginEndpoint,
  secondStepEndpoint,
  logoutEndpoint,
  ...linkEndpoints,
  ...securityEndpoints,
];
