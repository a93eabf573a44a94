import type { Ctx } from '#kernel/context.ts';
import { conflict, fail, invalidField } from '#kernel/service/errors.ts';
import * as secondFactor from '../second-factor/index.ts';
import {
  sessionsOf as open,
  removeSession,
  removeSessions,
  requireAdminTwoFactor,
  type SessionOfAccount,
} from '../sessions/index.ts';
import { accountEvents } from './events.ts';
import { use } from './links.ts';
import { requireMayManage } from './management.ts';
import * as repo from './repository.ts';
import { admitted, proveCode, type SignedInAccount } from './sign-in.ts';

/**
 * Begins to set up the authenticator app of an account. It counts once `confirmTwoFactor` had a right code.
 *
 * @returns the secret in base32 and the address for the QR code
 * @throws AppError CONFLICT when one is set up
 */
export const setupTwoFactor = async (ctx: Ctx, accountId: string): Promise<{ secret: string; uri: string }> =>
  secondFactor.setup(ctx, accountId, await emailOf(ctx, accountId));

/** What waits for its first code, as `setupTwoFactor` returned it; null where nothing does. */
export const pendingTwoFactor = async (
  ctx: Ctx,
  accountId: string,
): Promise<{ secret: string; uri: string } | null> =>
  secondFactor.pending(ctx, accountId, await emailOf(ctx, accountId));

/** @returns ten recovery codes, shown this once; null for a wrong code */
export const confirmTwoFactor = (ctx: Ctx, accountId: string, code: string): Promise<string[] | null> =>
  ctx.tx(async (ctx) => {
    await repo.lockForSignIn(ctx, accountId);
    const codes = await secondFactor.confirm(ctx, accountId, code);
    if (codes) await accountEvents.tell(ctx, 'TWO_FACTOR_ENABLED', accountId, {}, switched(true));
    return codes;
  });

/** Ten recovery codes in place of those there were, shown this once. @throws AppError CONFLICT while it is off */
export const renewRecoveryCodes = (ctx: Ctx, accountId: string): Promise<string[]> =>
  ctx.tx(async (ctx) => {
    await repo.lockForSignIn(ctx, accountId);
    const codes = await secondFactor.renewCodes(ctx, accountId);
    await accountEvents.tell(ctx, 'RECOVERY_CODES_RENEWED', accountId, {}, renewed);
    return codes;
  });

/**
 * Switches off one's own second factor.
 *
 * @throws AppError CONFLICT when it is off, or when everybody must have one (`require_admin_2fa`)
 */
export async function disableTwoFactor(ctx: Ctx, accountId: string): Promise<void> {
  requireMayBeOff(ctx);
  if (!(await resetTwoFactor(ctx, accountId))) throw conflict('two-factor sign-in is already off');
}

/**
 * As `disableTwoFactor`, for who shows that the app is at hand; a wrong code counts as one of a sign-in (Z25).
 *
 * @throws AppError VALIDATION_ERROR about `code`
 */
export async function disableTwoFactorBy(ctx: Ctx, accountId: string, code: string): Promise<void> {
  requireMayBeOff(ctx);
  if (!(await proveCode(ctx, accountId, { code })))
    throw invalidField('code', 'is wrong or has already been used');
  await disableTwoFactor(ctx, accountId);
}

/** @throws AppError CONFLICT where everybody must have a second factor */
function requireMayBeOff(ctx: Ctx): void {
  if (ctx.settings.get(requireAdminTwoFactor))
    throw conflict('two-factor sign-in is required for all staff here');
}

/** Takes the second factor away from whoever lost it. @returns whether there was one @throws AppError INSUFFICIENT_SCOPE */
export const resetTwoFactor = (ctx: Ctx, accountId: string): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    await repo.lockForSignIn(ctx, accountId);
    await requireMayManage(ctx, accountId);
    const wasOn = await secondFactor.remove(ctx, accountId);
    if (wasOn) await accountEvents.tell(ctx, 'TWO_FACTOR_DISABLED', accountId, {}, switched(false));
    return wasOn;
  });

/** Where an account is signed in, seen last first. */
export const sessionsOf = (ctx: Ctx, accountId: string): Promise<SessionOfAccount[]> => open(ctx, accountId);

/** Ends one session of an account at once. @throws AppError NOT_FOUND; INSUFFICIENT_SCOPE */
export const endSession = (ctx: Ctx, accountId: string, sessionId: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    await requireMayManage(ctx, accountId);
    if (!(await removeSession(ctx, accountId, sessionId)))
      throw fail('NOT_FOUND', `session ${sessionId} was not found`);
    await accountEvents.tell(ctx, 'SESSIONS_ENDED', accountId, { sessions: 1 }, { before: { sessionId } });
  });

/**
 * Ends the sessions of an account.
 *
 * @param exceptId of the session that stays; null: none does, those among them that are being begun
 * @returns how many were open
 * @throws AppError INSUFFICIENT_SCOPE
 */
export const endSessions = (ctx: Ctx, accountId: string, exceptId: string | null): Promise<number> =>
  ctx.tx(async (ctx) => {
    await repo.lockForSignIn(ctx, accountId);
    await requireMayManage(ctx, accountId);
    const sessions = await removeSessions(ctx, accountId, exceptId);
    if (exceptId === null) await repo.raiseGeneration(ctx, accountId);
    await accountEvents.tell(ctx, 'SESSIONS_ENDED', accountId, { sessions }, { before: { sessions } });
    return sessions;
  });

/** Signs in by a link of `admin login-link`, in place of the password. @returns null for one that is not valid any more */
export const signInByLink = (ctx: Ctx, token: string): Promise<SignedInAccount | null> =>
  ctx.tx(async (ctx) => {
    const account = await use(ctx, 'login-link', token);
    if (!account) return null;
    // Whoever may make links outweighs strangers who locked the account with wrong passwords.
    await repo.change(ctx, account.id, { failedSignIns: 0, lockedUntil: null });
    return admitted(ctx, account);
  });

const switched = (isOn: boolean) => ({ before: { twoFactor: !isOn }, after: { twoFactor: isOn } });
/** The log masks both sides: that they differ is all there is to say. */
const renewed = { before: { recoveryCodes: 'old' }, after: { recoveryCodes: 'new' } };

async function emailOf(ctx: Ctx, accountId: string): Promise<string> {
  return (await repo.findForSignIn(ctx, accountId))?.email ?? accountId;
}
