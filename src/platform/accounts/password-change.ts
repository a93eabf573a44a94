import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkNewPassword, hashPassword, passwordFault } from '../passwords/index.ts';
import { removeSessions } from '../sessions/index.ts';
import { accountEvents } from './events.ts';
import { lookAt, revokeLinks, use } from './links.ts';
import { requireMayManage } from './management.ts';
import * as repo from './repository.ts';
import { provePassword, type SignedInAccount } from './sign-in.ts';

/**
 * Changes one's own password; every session of the account ends, the one that asks among them.
 *
 * @returns the account with the generation under which that session begins anew
 * @throws AppError VALIDATION_ERROR about `currentPassword` or `password`; RATE_LIMITED
 */
export async function changePassword(
  ctx: Ctx,
  accountId: string,
  { currentPassword, password }: { currentPassword: string; password: string },
): Promise<Pick<SignedInAccount, 'id' | 'generation'>> {
  const { email } = await accountOf(ctx, accountId);
  if (!(await provePassword(ctx, accountId, currentPassword)))
    throw passwordFault('the current password is wrong', 'currentPassword');
  checkNewPassword(ctx, password, email);
  if (password === currentPassword) throw passwordFault('the new password must differ from the current one');
  const passwordHash = await hashPassword(ctx, password);
  return ctx.tx(async (ctx) => {
    await repo.lockForSignIn(ctx, accountId);
    await put(ctx, accountId, { passwordHash, mustChangePassword: false }, 'oneself');
    return accountOf(ctx, accountId);
  });
}

/**
 * Gives an account another password: every session and every link of it ends, and a lock is lifted. Its second factor
 * stays.
 *
 * @param input `mustChangePassword`: the next sign-in asks for another password
 * @returns how many sessions ended
 * @throws AppError VALIDATION_ERROR; NOT_FOUND; INSUFFICIENT_SCOPE
 */
export async function resetPassword(
  ctx: Ctx,
  accountId: string,
  { password, mustChangePassword = false }: { password: string; mustChangePassword?: boolean },
): Promise<{ sessionsRevoked: number }> {
  const { email } = await accountOf(ctx, accountId);
  checkNewPassword(ctx, password, email);
  const passwordHash = await hashPassword(ctx, password);
  return ctx.tx(async (ctx) => {
    const account = await repo.lockForSignIn(ctx, accountId);
    await requireMayManage(ctx, accountId);
    if (account?.status === 'invited') await repo.change(ctx, accountId, { status: 'active' });
    return { sessionsRevoked: await put(ctx, accountId, { passwordHash, mustChangePassword }, 'staff') };
  });
}

/**
 * Sets the password that somebody chose by a link: a reset, or an invitation that is accepted.
 *
 * @returns the account; null when the link is not valid any more: of two that use it at once, one gets null
 * @throws AppError VALIDATION_ERROR about `password`, which leaves the link open; RATE_LIMITED
 */
export async function usePasswordLink(
  ctx: Ctx,
  purpose: 'reset-password' | 'invite',
  token: string,
  input: { password: string; name?: string },
): Promise<Pick<SignedInAccount, 'id' | 'email'> | null> {
  const seen = await lookAt(ctx, purpose, token);
  if (!seen) return null;
  checkNewPassword(ctx, input.password, seen.email);
  const passwordHash = await hashPassword(ctx, input.password);
  return ctx.tx(async (ctx) => {
    const account = await use(ctx, purpose, token);
    if (!account) return null;
    const { id, email } = account;
    const own = ctx.with({ actor: { kind: 'staff', id, label: email, isInstanceWide: true } });
    if (purpose === 'invite') {
      const joined = { status: 'active' as const, ...(input.name && { name: input.name }) };
      await repo.change(own, id, joined);
      const { status, name } = account;
      const sides = { before: { status, name }, after: { name, ...joined } };
      await accountEvents.tell(own, 'STAFF_JOINED', id, { ip: ctx.origin.ip }, sides);
    }
    await put(own, id, { passwordHash, mustChangePassword: false }, 'link');
    return { id, email };
  });
}

async function put(
  ctx: Ctx,
  accountId: string,
  given: repo.NewPassword,
  by: 'oneself' | 'link' | 'staff',
): Promise<number> {
  const { passwordHash } = await accountOf(ctx, accountId);
  await repo.setPassword(ctx, accountId, given);
  await revokeLinks(ctx, accountId);
  const sessions = await removeSessions(ctx, accountId, null);
  // The log masks both hashes, and shows whether there was a password before.
  const sides = {
    before: { passwordHash, sessions },
    after: { passwordHash: given.passwordHash, sessions: 0 },
  };
  await accountEvents.tell(ctx, 'PASSWORD_CHANGED', accountId, { by, ip: ctx.origin.ip }, sides);
  return sessions;
}

async function accountOf(ctx: Ctx, accountId: string): Promise<repo.SignInRow> {
  const found = await repo.findForSignIn(ctx, accountId);
  if (found) return found;
  throw fail('NOT_FOUND', `staff account ${accountId} was not found`);
}
