/** Signing in and out by JSON, and the password again before what is most dangerous (licensing 4.2, Z7). */
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import * as accounts from '../accounts/index.ts';
import { ANY_STAFF, NoBody } from '../admin/index.ts';
import * as adminTokens from '../admin-tokens/index.ts';
import { requireRoom } from '../passwords/index.ts';
import { endView, noteProof, proofEnds } from '../sessions/index.ts';
import { browserOf, personIn, requirePassword } from './person.ts';
import { PasswordBody, Proven, SignedIn, SignedOut, SignInBody } from './schemas.ts';
import { admitted, ownAccount } from './sign-in.ts';

const base = '/api/v1/admin/auth';

export const signInEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/login`,
    summary: 'Sign in: the answer sets the session cookie',
    scope: null,
    session: 'origin',
    limit: accounts.signInTries,
    requireRoom: requireRoom,
    body: SignInBody,
    replies: { 200: SignedIn },
    errors: ['VALIDATION_ERROR', 'UNAUTHORIZED'],
    async handle(ctx, { body, visitor }) {
      const account = await admitted(ctx, body);
      const { session } = visitor as Visitor;
      noteProof(ctx, session, account.id);
      // Whoever signs in anew looks with own eyes.
      endView(session);
      await session.signIn({ kind: 'staff', id: account.id, generation: account.generation });
      return ok({ user: await ownAccount(ctx, account), csrfToken: (visitor as Visitor).csrfToken() });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/logout`,
    summary: 'Sign out: the session ends at once',
    scope: null,
    session: 'token',
    limit: null,
    body: NoBody,
    bodyOptional: true,
    replies: { 200: SignedOut },
    errors: ['VALIDATION_ERROR', 'UNAUTHORIZED'],
    async handle(ctx, { visitor }) {
      const { actor, session } = visitor as Visitor;
      await accounts.noteSignOut(ctx, actor);
      await session.signOut();
      return ok({ signedOut: true });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/sudo`,
    summary: 'Give the password again: for ten minutes operations with `x-sudo` go on',
    scope: ANY_STAFF,
    limit: accounts.passwordTries,
    body: PasswordBody,
    replies: { 200: Proven },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body, visitor }) {
      const account = personIn(ctx);
      await requirePassword(ctx, account, body.password);
      const { tokenId } = ctx.actor;
      if (tokenId === undefined) noteProof(ctx, browserOf(visitor).session, account);
      else await adminTokens.notePasswordProof(ctx, tokenId);
      return ok({ provenUntil: proofEnds(ctx) });
    },
  }),
];
