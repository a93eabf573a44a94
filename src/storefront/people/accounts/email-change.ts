import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { changeCustomer, credentials, emailNormed, lockCustomer } from '../customers/index.ts';
import { linkTo, lookAt, refuseLink, use } from './links.ts';
import { mailAccountExists, mailEmailChange, mailEmailChangeNotice } from './mails.ts';
import { accountOf } from './password-change.ts';
import { fieldFault } from './passwords.ts';
import { asCustomer, provePassword } from './sign-in.ts';

/**
 * Asks for another address: a link goes to the new one, and the old one is told. Whether the new one has an account is
 * told to its owner alone.
 *
 * @throws AppError VALIDATION_ERROR about `password` or `new_email`; RATE_LIMITED
 */
export async function requestEmailChange(
  ctx: Ctx,
  id: string,
  { password, email, locale }: { password: string; email: string; locale: string },
): Promise<void> {
  const before = await accountOf(ctx, id);
  if (!(await provePassword(ctx, id, password)))
    throw fieldFault('password', 'wrong', 'the password is wrong');
  if (emailNormed(email) === emailNormed(before.email))
    throw fieldFault('new_email', 'same_email', 'the account already uses this address');
  await ctx.tx(async (ctx) => {
    const account = await credentials.lock(ctx, id);
    if (!account) return;
    const other = await credentials.findByEmail(ctx, email);
    // The old address is told in any case: whether it is must not say whether the new one has an account.
    await mailEmailChangeNotice(ctx, account, { email, locale });
    if (other) {
      await mailAccountExists(ctx, other, locale);
      return;
    }
    const url = await linkTo(ctx, 'change-email', account, { email });
    await mailEmailChange(ctx, account, { email, url, locale });
  });
}

/** The address that a link would bring; null for one that brings none any more. */
export async function lookAtEmailChange(ctx: Ctx, token: string): Promise<{ email: string } | null> {
  const open = await lookAt(ctx, 'change-email', token);
  return open && { email: open.data.email as string };
}

/**
 * Changes the address of an account to the one that a link was mailed to, which that proves.
 *
 * @throws AppError VALIDATION_ERROR, reason TOKEN_INVALID or TOKEN_EXPIRED; also where another account has the address now
 */
export async function confirmEmailChange(ctx: Ctx, token: string): Promise<{ email: string }> {
  try {
    const done = await ctx.tx(async (ctx) => {
      const open = await use(ctx, 'change-email', token);
      if (!open) return null;
      const own = asCustomer(ctx, open.account.id);
      const email = open.data.email as string;
      const customer = await lockCustomer(own, open.account.id);
      await changeCustomer(own, customer, { email, emailVerifiedAt: ctx.now() });
      return { email };
    });
    return done ?? (await refuseLink(ctx, 'change-email', token));
  } catch (error) {
    if (error instanceof AppError && error.details.reason === 'DUPLICATE')
      return refuseLink(ctx, 'change-email', token);
    throw error;
  }
}
