/** Signing in and out by the JSON of the store, into the same session as the panel's (storefront-api.md, Q; Z1, Z7, S54). */
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as accounts from '../../accounts/index.ts';
import { NoBody } from '../../admin/index.ts';
import { requireRoom } from '../../passwords/index.ts';
import { browserOf, OWN_ACCOUNT } from '../person.ts';
import { begin, end, knowing, owedOf, ownAccount, prove, requireSecondFactor } from '../sign-in.ts';
import * as schemas from './schemas.ts';

const { data } = schemas;

const base = '/api/store/auth';

/** Under which a session keeps the id of a sign-in whose second factor is still to come. */
const CHALLENGE = 'sign-in-challenge';

export const storeSignInEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/login`,
    summary: 'Sign in to the panel; with a second factor, send the code next',
    description: 'The session and its CSRF token are renewed.',
    scope: null,
    session: 'token',
    limit: accounts.signInTries,
    requireRoom,
    body: schemas.Login,
    replies: () => ({ 200: data(schemas.SignedInOrChallenged) }),
    errors: ['VALIDATION_ERROR', 'AUTH_UNAUTHORIZED'],
    async handle(ctx, { body, visitor }) {
      const account = await knowing(ctx, body);
      const browser = visitor as Visitor;
      if (!account.needsSecondFactor) {
        await begin(ctx, browser, account);
        return ok({ data: await signedIn(ctx, browser, account) });
      }
      const challenge = ctx.newId('sic');
      browser.session.write(CHALLENGE, challenge);
      await begin(ctx, browser, account, true);
      const csrf_token = browser.csrfToken();
      return ok({ data: { two_factor_required: true, challenge_id: challenge, csrf_token } });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/login/2fa`,
    summary: 'Finish signing in with a code from the authenticator app, or a recovery code',
    scope: null,
    session: 'token',
    limit: accounts.signInCodeTries,
    body: schemas.SecondStep,
    replies: () => ({ 200: data(schemas.SignedIn) }),
    errors: ['VALIDATION_ERROR', 'AUTH_UNAUTHORIZED'],
    async handle(ctx, { body, visitor }) {
      const { code, recovery_code: recoveryCode } = body;
      const proof = proofOf(code, recoveryCode);
      const browser = visitor as Visitor;
      const { pending } = browser.session;
      if (!pending || browser.session.read(CHALLENGE) !== body.challenge_id) throw noSuchChallenge();
      await requireSecondFactor(ctx, pending.id, proof);
      browser.session.write(CHALLENGE, undefined);
      await browser.session.signIn({ kind: 'staff', ...pending });
      return ok({ data: await signedIn(ctx, browser, { id: pending.id, email: '' }) });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/logout`,
    summary: "Sign out and end the session, including a customer's in the same browser",
    scope: OWN_ACCOUNT,
    despite: ['owing', 'viewing'],
    limit: null,
    body: NoBody,
    bodyOptional: true,
    replies: () => ({ 200: data(schemas.SignedOut) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { visitor }) {
      await end(ctx, browserOf(visitor ?? null));
      return ok({ data: { logged_out: true } });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/sudo`,
    summary: 'Confirm the password; operations that need it work for ten minutes',
    scope: OWN_ACCOUNT,
    limit: accounts.passwordTries,
    body: schemas.Password,
    replies: () => ({ 200: data(schemas.Proven) }),
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body, visitor }) =>
      ok({ data: { proven_until: await prove(ctx, visitor, body.password) } }),
  }),
];

function proofOf(code: string | undefined, recoveryCode: string | undefined) {
  if (code !== undefined && recoveryCode !== undefined)
    throw invalidField('recovery_code', 'is sent instead of code, not beside it');
  if (code !== undefined) return { code };
  if (recoveryCode !== undefined) return { recoveryCode };
  throw fail('VALIDATION_ERROR', 'code is required, or recovery_code', {
    details: { issues: [{ path: 'code', rule: 'required', message: 'is required, or recovery_code' }] },
  });
}

const noSuchChallenge = () =>
  fail('VALIDATION_ERROR', 'This sign-in has expired: start again with the password', {
    details: { reason: 'TOKEN_INVALID' },
  });

async function signedIn(ctx: Ctx, visitor: Visitor, account: { id: string; email: string }) {
  const user = await ownAccount(ctx, account);
  return {
    admin: await accounts.adminUserView(ctx, user),
    csrf_token: visitor.csrfToken(),
    owes: owedOf(ctx, user),
  };
}
