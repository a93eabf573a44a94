import type { Ctx } from '#kernel/context.ts';
import { hashPassword } from '#platform/passwords/index.ts';
import * as secondFactor from '#platform/second-factor/index.ts';
import { removeSessions } from '#platform/sessions/index.ts';
import { requireEmailVerification } from '#storefront/contract/selling-settings.ts';
import {
  type AccountRow,
  changeCustomer,
  credentials,
  lockCustomer,
  missingCustomer,
  shopCustomerEvents,
} from '../customers/index.ts';
import { forgetDevices } from '../devices/index.ts';
import { unhurried } from './floor.ts';
import { linkTo, lookAt, refuseLink, use } from './links.ts';
import { mailReset } from './mails.ts';
import { checkPassword, fieldFault } from './passwords.ts';
import { asCustomer, provePassword } from './sign-in.ts';

/** Undoes the link of a request that came too soon after another one: the mailed one stays good. */
class TooSoon extends Error {}

/** Mails a link to a new password to whoever has an account with an address. Whoever asks learns nothing. */
export const forgotPassword = (ctx: Ctx, address: string, locale: string): Promise<void> =>
  unhurried(
    ctx
      .tx(async (ctx) => {
        const found = await credentials.findByEmail(ctx, address);
        const account = found && (await credentials.lock(ctx, found.id));
        if (account?.status !== 'active') return;
        const url = await linkTo(ctx, 'reset-password', account);
        if ((await mailReset(ctx, account, { url, locale })) === null) throw new TooSoon();
      })
      .catch((error: unknown) => {
        if (!(error instanceof TooSoon)) throw error;
      }),
  );

/** The address whose password a link would change; null for one that changes nothing any more. */
export const lookAtReset = async (ctx: Ctx, token: string): Promise<{ email: string } | null> =>
  (await lookAt(ctx, 'reset-password', token))?.account ?? null;

/**
 * Sets the password that somebody chose by a link that was mailed: every session ends, and a lock is lifted. A second
 * factor stays, unless nobody had proven the address before: then whoever set it up was somebody else.
 *
 * @throws AppError VALIDATION_ERROR about `password`, which leaves the link open; reason TOKEN_INVALID or TOKEN_EXPIRED
 */
export async function resetPassword(ctx: Ctx, token: string, password: string): Promise<void> {
  const seen = await lookAt(ctx, 'reset-password', token);
  if (!seen) return refuseLink(ctx, 'reset-password', token);
  checkPassword(ctx, password, seen.account.email);
  const passwordHash = await hashPassword(ctx, password);
  const isDone = await ctx.tx(async (ctx) => {
    const open = await use(ctx, 'reset-password', token);
    if (!open) return false;
    const { account } = open;
    const own = asCustomer(ctx, account.id);
    await put(own, account.id, passwordHash, 'link');
    if (account.emailVerifiedAt === null) {
      // Where nobody signs in before the address is proven, a second factor is older than the address, which staff has
      // changed since: it stays.
      if (!ctx.settings.get(requireEmailVerification)) {
        await secondFactor.remove(own, account.id);
        await forgetDevices(own, account.id);
      }
      await changeCustomer(own, await lockCustomer(own, account.id), { emailVerifiedAt: ctx.now() });
    }
    return true;
  });
  if (!isDone) await refuseLink(ctx, 'reset-password', token);
}

/**
 * Changes one's own password; every session of the account ends, the one that asks among them.
 *
 * @returns the account with the generation under which that session begins anew
 * @throws AppError VALIDATION_ERROR about `current_password` or `new_password`; RATE_LIMITED
 */
export async function changePassword(
  ctx: Ctx,
  id: string,
  { currentPassword, password }: { currentPassword: string; password: string },
): Promise<AccountRow> {
  const { email } = await accountOf(ctx, id);
  if (!(await provePassword(ctx, id, currentPassword)))
    throw fieldFault('current_password', 'wrong', 'the current password is wrong');
  checkPassword(ctx, password, email, 'new_password');
  if (password === currentPassword)
    throw fieldFault('new_password', 'same', 'the new password must differ from the current one');
  const passwordHash = await hashPassword(ctx, password);
  return ctx.tx(async (ctx) => {
    await credentials.lock(ctx, id);
    await put(ctx, id, passwordHash, 'oneself');
    return accountOf(ctx, id);
  });
}

async function put(ctx: Ctx, id: string, passwordHash: string, by: 'oneself' | 'link'): Promise<void> {
  const { passwordHash: before } = await accountOf(ctx, id);
  await credentials.setPassword(ctx, id, passwordHash);
  const sessions = await removeSessions(ctx, id, null, 'customer');
  // The log masks both hashes.
  const sides = { before: { passwordHash: before, sessions }, after: { passwordHash, sessions: 0 } };
  await shopCustomerEvents.tell(ctx, 'customer.password_changed', id, { by, ip: ctx.origin.ip }, sides);
}

/** @throws AppError NOT_FOUND */
export const accountOf = async (ctx: Ctx, id: string): Promise<AccountRow> =>
  (await credentials.find(ctx, id)) ?? missingCustomer(id);
