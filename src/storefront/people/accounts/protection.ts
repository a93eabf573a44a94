import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as secondFactor from '#platform/second-factor/index.ts';
import {
  sessionsOf as open,
  removeSession,
  removeSessions,
  type SessionOfAccount,
} from '#platform/sessions/index.ts';
import { shopNameOf } from '#storefront/contract/settings.ts';
import { credentials, shopCustomerEvents } from '../customers/index.ts';
import { mailTwoFactor } from './mails.ts';
import { accountOf } from './password-change.ts';
import { fieldFault } from './passwords.ts';
import { proveCode, provePassword } from './sign-in.ts';

/**
 * Begins to set up the authenticator app of a customer. It counts once `enableTwoFactor` had a right code.
 *
 * @throws AppError VALIDATION_ERROR about `password`; CONFLICT when one is set up
 */
export async function setupTwoFactor(
  ctx: Ctx,
  id: string,
  password: string,
): Promise<{ secret: string; uri: string }> {
  await requirePassword(ctx, id, password);
  const { email } = await accountOf(ctx, id);
  return secondFactor.setup(ctx, id, email, shopNameOf(ctx));
}

/** What waits for its first code; null where nothing does. */
export const pendingTwoFactor = async (
  ctx: Ctx,
  id: string,
): Promise<{ secret: string; uri: string } | null> =>
  secondFactor.pending(ctx, id, (await accountOf(ctx, id)).email, shopNameOf(ctx));

/** @returns ten recovery codes, shown this once @throws AppError VALIDATION_ERROR about `code` */
export async function enableTwoFactor(ctx: Ctx, id: string, code: string, locale: string): Promise<string[]> {
  const codes = await ctx.tx(async (ctx) => {
    const account = await credentials.lock(ctx, id);
    const codes = await secondFactor.confirm(ctx, id, code);
    if (!codes || !account) return null;
    await shopCustomerEvents.tell(ctx, 'customer.two_factor_enabled', id, {}, switched(true));
    await mailTwoFactor(ctx, account, { isOn: true, locale });
    return codes;
  });
  if (!codes) throw fieldFault('code', 'wrong_code', 'this code is wrong, or no setup is in progress');
  return codes;
}

/** Switches it off. @throws AppError VALIDATION_ERROR about `password` or `code`; CONFLICT while it is off */
export async function disableTwoFactor(
  ctx: Ctx,
  id: string,
  { password, code, locale }: { password: string; code: string; locale: string },
): Promise<void> {
  await requirePassword(ctx, id, password);
  const proof =
    code.replaceAll(/\D/g, '').length === 6 && code.length <= 8 ? { code } : { recoveryCode: code };
  if (!(await proveCode(ctx, id, proof)))
    throw fieldFault('code', 'wrong_code', 'this code is wrong or has already been used');
  await ctx.tx(async (ctx) => {
    const account = await credentials.lock(ctx, id);
    if (!account || !(await secondFactor.remove(ctx, id))) return;
    await shopCustomerEvents.tell(ctx, 'customer.two_factor_disabled', id, {}, switched(false));
    await mailTwoFactor(ctx, account, { isOn: false, locale });
  });
}

/** Ten recovery codes in place of those there were, shown this once. @throws as `setupTwoFactor` */
export async function renewRecoveryCodes(ctx: Ctx, id: string, password: string): Promise<string[]> {
  await requirePassword(ctx, id, password);
  return ctx.tx(async (ctx) => {
    await credentials.lock(ctx, id);
    const codes = await secondFactor.renewCodes(ctx, id);
    await shopCustomerEvents.tell(ctx, 'customer.recovery_codes_renewed', id, {}, renewed);
    return codes;
  });
}

/** Where a customer is signed in, seen last first. */
export const sessionsOf = (ctx: Ctx, id: string): Promise<SessionOfAccount[]> => open(ctx, id, 'customer');

/** Ends one session of a customer at once. @throws AppError NOT_FOUND */
export const endSession = (ctx: Ctx, id: string, sessionId: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    if (!(await removeSession(ctx, id, sessionId, 'customer')))
      throw fail('NOT_FOUND', `session ${sessionId} does not exist`);
    await shopCustomerEvents.tell(
      ctx,
      'customer.sessions_ended',
      id,
      { sessions: 1 },
      { before: { sessionId } },
    );
  });

/**
 * Ends the sessions of a customer.
 *
 * @param exceptId of the session that stays; null: none does, those among them that are being begun
 * @returns how many were open
 */
export const endSessions = (ctx: Ctx, id: string, exceptId: string | null): Promise<number> =>
  ctx.tx(async (ctx) => {
    await credentials.lock(ctx, id);
    const sessions = await removeSessions(ctx, id, exceptId, 'customer');
    if (exceptId === null) await credentials.raiseGeneration(ctx, id);
    await shopCustomerEvents.tell(ctx, 'customer.sessions_ended', id, { sessions }, { before: { sessions } });
    return sessions;
  });

async function requirePassword(ctx: Ctx, id: string, password: string): Promise<void> {
  if (!(await provePassword(ctx, id, password)))
    throw fieldFault('password', 'wrong', 'the password is wrong');
}

const switched = (isOn: boolean) => ({ before: { twoFactor: !isOn }, after: { twoFactor: isOn } });
/** The log masks both sides: that they differ is all there is to say. */
const renewed = { before: { recoveryCodes: 'old' }, after: { recoveryCodes: 'new' } };
