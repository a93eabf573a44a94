/** Signing in and out by JSON, and the password again before what is most dangerous (licensing 4.2, Z7). */
import type { Ctx } from '#kernel/context.ts';
import type { AppError } from '#kernel/errors.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as accounts from '../accounts/index.ts';
import { ANY_STAFF, NoBody } from '../admin/index.ts';
import { noteProof, proofEnds } from '../sessions/index.ts';
import { browserOf, personIn, proofTries, requirePassword } from './person.ts';
import { PasswordBody, Proven, SignedIn, SignedOut, SignInBody } from './schemas.ts';

const base = '/api/v1/admin/auth';

export const signInEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/login`,
    summary: 'Sign in: the answer sets the session cookie',
    scope: null,
    session: 'origin',
    limit: accounts.signInTries,
    body: SignInBody,
    replies: { 200: SignedIn },
    errors: ['VALIDATION_ERROR', 'UNAUTHORIZED'],
    async handle(ctx, { body, visitor }) {
      const account = await admitted(ctx, body);
      const { session } = visitor as Visitor;
      noteProof(ctx, session, account.id);
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
    limit: proofTries,
    body: PasswordBody,
    replies: { 200: Proven },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body, visitor }) {
      const account = personIn(ctx);
      await requirePassword(ctx, account, body.password);
      noteProof(ctx, browserOf(visitor).session, account);
      return ok({ provenUntil: proofEnds(ctx) });
    },
  }),
];

/**
 * Judges who signs in, with the second factor where there is one.
 *
 * @throws AppError UNAUTHORIZED: one answer for every account and password that does not fit, and reason
 *   TWO_FACTOR_REQUIRED or TWO_FACTOR_WRONG once the password is known to be right
 */
export async function admitted(
  ctx: Ctx,
  { code, recoveryCode, ...given }: SignInInput,
): Promise<accounts.SignedInAccount> {
  if (code !== undefined && recoveryCode !== undefined)
    throw invalidField('recoveryCode', 'is sent instead of code, not beside it');
  const account = await accounts.signIn(ctx, given);
  if (!account) throw refused('WRONG_PASSWORD', 'The email address or the password is wrong');
  if (!account.needsSecondFactor) return account;
  const proof = code === undefined ? recoveryCode : code;
  if (proof === undefined)
    throw refused('TWO_FACTOR_REQUIRED', 'Send `code` of the authenticator app, or `recoveryCode`');
  const isRight = await accounts.proveSecondFactor(
    ctx,
    account.id,
    code === undefined ? { recoveryCode: proof } : { code: proof },
  );
  if (!isRight) throw refused('TWO_FACTOR_WRONG', 'The code is wrong or was used before');
  return account;
}

interface SignInInput {
  email: string;
  password: string;
  code?: string | undefined;
  recoveryCode?: string | undefined;
}

const refused = (reason: string, message: string): AppError =>
  fail('UNAUTHORIZED', message, { details: { reason } });

/** An account as its owner sees it, who has just signed in. */
export const ownAccount = (ctx: Ctx, { id, email }: accounts.SignedInAccount) =>
  accounts.get(ctx.with({ actor: { kind: 'staff', id, label: email } }), id);
