/** Signing in and out by JSON, and the password again before what is most dangerous (licensing 4.2, Z7). */
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import * as accounts from '../accounts/index.ts';
import { ANY_STAFF, NoBody } from '../admin/index.ts';
import { requireRoom } from '../passwords/index.ts';
import { PasswordBody, Proven, SignedIn, SignedOut, SignInBody } from './schemas.ts';
import { admitted, begin, end, ownAccount, prove } from './sign-in.ts';

const base = '/api/v1/admin/auth';

export const signInEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/login`,
    summary: 'Sign in: the answer sets the session cookie',
    scope: null,
    session: 'origin',
    limit: accounts.signInTries,
    requireRoom,
    body: SignInBody,
    replies: { 200: SignedIn },
    errors: ['VALIDATION_ERROR', 'UNAUTHORIZED'],
    async handle(ctx, { body, visitor }) {
      const account = await admitted(ctx, body);
      await begin(ctx, visitor as Visitor, account);
      return ok({ user: await ownAccount(ctx, account), csrfToken: (visitor as Visitor).csrfToken() });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/logout`,
    summary: 'Sign out and end the session',
    scope: null,
    session: 'token',
    limit: null,
    body: NoBody,
    bodyOptional: true,
    replies: { 200: SignedOut },
    errors: ['VALIDATION_ERROR', 'UNAUTHORIZED'],
    async handle(ctx, { visitor }) {
      await end(ctx, visitor as Visitor);
      return ok({ signedOut: true });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/sudo`,
    summary: 'Confirm the password; protected operations work for ten minutes',
    scope: ANY_STAFF,
    limit: accounts.passwordTries,
    body: PasswordBody,
    replies: { 200: Proven },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body, visitor }) => ok({ provenUntil: await prove(ctx, visitor, body.password) }),
  }),
];
