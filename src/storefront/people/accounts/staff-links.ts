import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { FALLBACK } from '#platform/languages/index.ts';
import { type AccountRow, credentials, missingCustomer, shopCustomerEvents } from '../customers/index.ts';
import { linkTo } from './links.ts';
import { mailInvite, mailReset } from './mails.ts';

const INVITE_SECONDS = 7 * SECONDS_PER_DAY;

const refuse = (message: string) => fail('CONFLICT', message, { details: { reason: 'INVALID_TRANSITION' } });

/** The account, locked. @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, where nobody may sign in */
async function lockOpen(ctx: Ctx, id: string): Promise<AccountRow> {
  const account = (await credentials.lock(ctx, id)) ?? missingCustomer(id);
  if (account.status === 'active') return account;
  throw refuse(`${account.email} cannot sign in: the account is disabled. Enable it first`);
}

async function noteSent(ctx: Ctx, id: string, link: 'password_reset' | 'invite', mail: string | null) {
  if (mail === null)
    throw refuse('An email with a link was sent less than a minute ago; try again in a minute');
  await shopCustomerEvents.tell(ctx, 'customer.link_sent', id, { link });
}

/**
 * Mails a customer a link to a new password, because staff asked for it.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, for a disabled account, and twice in one minute
 */
export const sendReset = (ctx: Ctx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const account = await lockOpen(ctx, id);
    const url = await linkTo(ctx, 'reset-password', account);
    const said = { url, locale: account.locale ?? FALLBACK, isByStaff: true };
    await noteSent(ctx, id, 'password_reset', await mailReset(ctx, account, said));
  });

/**
 * Mails a customer whom staff added a link to the first password; it proves the address.
 *
 * @throws AppError as `sendReset`; also for an account that has a password
 */
export const sendInvite = (ctx: Ctx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const account = await lockOpen(ctx, id);
    if (account.passwordHash !== null)
      throw refuse(`${account.email} already has a password; send a password reset instead`);
    const url = await linkTo(ctx, 'reset-password', account, { seconds: INVITE_SECONDS });
    const said = { url, locale: account.locale ?? FALLBACK };
    await noteSent(ctx, id, 'invite', await mailInvite(ctx, account, said));
  });
