import type { Ctx } from '#kernel/context.ts';
import type { AppError } from '#kernel/errors.ts';
import type { Owed } from '#kernel/http/session-keeper.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as accounts from '../accounts/index.ts';
import type { StaffView } from '../accounts/view.ts';
import * as adminTokens from '../admin-tokens/index.ts';
import { endView, noteProof, owedBy, proofEnds } from '../sessions/index.ts';
import { owedRefusal } from './authorize.ts';
import { browserOf, personIn, requirePassword } from './person.ts';

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
    throw invalidField('recoveryCode', 'cannot be combined with code');
  const account = await knowing(ctx, given);
  if (!account.needsSecondFactor) return account;
  const proof = code === undefined ? recoveryCode : code;
  if (proof === undefined)
    throw refused('TWO_FACTOR_REQUIRED', 'Send `code` of the authenticator app, or `recoveryCode`');
  await requireSecondFactor(ctx, account.id, code === undefined ? { recoveryCode: proof } : { code: proof });
  return account;
}

interface SignInInput extends Credentials {
  code?: string | undefined;
  recoveryCode?: string | undefined;
}

interface Credentials {
  email: string;
  password: string;
}

/** The account of an address and its password. @throws AppError UNAUTHORIZED: one answer for whatever does not fit */
export async function knowing(ctx: Ctx, { email, password }: Credentials): Promise<accounts.SignedInAccount> {
  const account = await accounts.signIn(ctx, { email, password });
  if (account) return account;
  throw refused('WRONG_PASSWORD', 'The email address or the password is wrong');
}

/** @throws AppError UNAUTHORIZED, reason TWO_FACTOR_WRONG */
export async function requireSecondFactor(
  ctx: Ctx,
  accountId: string,
  proof: { code: string } | { recoveryCode: string },
): Promise<void> {
  if (await accounts.proveSecondFactor(ctx, accountId, proof)) return;
  throw refused('TWO_FACTOR_WRONG', 'The code is wrong or has already been used');
}

/**
 * Makes the session of a browser that of an account whose password was right, under a new id.
 *
 * @param isSecondFactorPending the code is still to come: until then the session may do nothing else
 */
export async function begin(
  ctx: Ctx,
  { session }: Visitor,
  { id, generation }: accounts.SignedInAccount,
  isSecondFactorPending = false,
): Promise<void> {
  noteProof(ctx, session, id);
  // Whoever signs in anew looks with own eyes.
  endView(session);
  await session.signIn({ kind: 'staff', id, generation, isSecondFactorPending });
}

/** Ends the session of a browser. */
export async function end(ctx: Ctx, { actor, session }: Visitor): Promise<void> {
  await accounts.noteSignOut(ctx, actor);
  await session.signOut();
}

/** Another password for the person who acts: every other session ends, and this one goes on under a new id. */
export async function changePassword(
  ctx: Ctx,
  visitor: Visitor | null,
  given: { currentPassword: string; password: string },
): Promise<void> {
  const { id, generation } = await accounts.changePassword(ctx, personIn(ctx), given);
  if (!visitor) return;
  noteProof(ctx, visitor.session, id);
  await visitor.session.signIn({ kind: 'staff', id, generation });
}

/** Notes that the person who acts has just given the password. @returns ISO time until which that counts */
export async function prove(ctx: Ctx, visitor: Visitor | null, password: string): Promise<string> {
  const account = personIn(ctx);
  await requirePassword(ctx, account, password);
  const { tokenId } = ctx.actor;
  if (tokenId === undefined) noteProof(ctx, browserOf(visitor).session, account);
  else await adminTokens.notePasswordProof(ctx, tokenId);
  return proofEnds(ctx);
}

const refused = (reason: string, message: string): AppError =>
  fail('UNAUTHORIZED', message, { details: { reason } });

/** An account as its owner sees it, who has just signed in. */
export const ownAccount = (ctx: Ctx, { id, email }: Pick<accounts.SignedInAccount, 'id' | 'email'>) =>
  accounts.get(ctx.with({ actor: { kind: 'staff', id, label: email } }), id);

/**
 * A token acts outside of the pages on which an account does what it owes, so that it is made afterwards only.
 *
 * @throws AppError INSUFFICIENT_SCOPE
 */
export function requireNothingOwed(ctx: Ctx, user: StaffView): void {
  const owes = owedOf(ctx, user);
  if (owes !== null) throw owedRefusal(owes);
}

/** What somebody has to do before anything else; null for nothing. */
export const owedOf = (ctx: Ctx, { mustChangePassword, twoFactor }: StaffView): Owed | null =>
  owedBy(ctx, { mustChangePassword, hasSecondFactor: twoFactor.enabled });
