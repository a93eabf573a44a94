import type { Ctx } from '#kernel/context.ts';
import type { AppError } from '#kernel/errors.ts';
import type { Owed } from '#kernel/http/session-keeper.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as accounts from '../accounts/index.ts';
import type { StaffView } from '../accounts/view.ts';
import { owedBy } from '../sessions/index.ts';
import { owedRefusal } from './authorize.ts';

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
