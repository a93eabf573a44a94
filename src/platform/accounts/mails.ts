import { sleep } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { defineMail, isMailSent, passwordResetMail, queueMail } from '../mail/index.ts';
import { normalEmail } from './email.ts';
import { type Link, openingLink } from './links.ts';
import * as repo from './repository.ts';

export const inviteMail = defineMail({
  key: 'admin_invite',
  placeholders: ['invite_url', 'invited_by'],
  sample: { invite_url: 'https://shop.example/admin/invite/abc', invited_by: 'Olga' },
  isSecret: true,
  isForStaff: true,
});

/** So long an answer takes at least: whether an address has an account must not show in its time (M14). */
const FLOOR_MS = 400;
/** One mail a minute for an account, whoever asks from wherever. */
const MINUTE = '2026-03-01T12:00'.length;

/** Mails an invitation, where mails are sent; whoever invited has the link as well. @returns whether it did */
export async function mailInvite(
  ctx: Ctx,
  { email, name }: { readonly email: string; readonly name: string },
  { url, expiresAt }: Link,
): Promise<boolean> {
  if (!(await isMailSent(ctx))) return false;
  await queueMail(ctx, inviteMail, {
    to: { address: email, name },
    locale: 'en',
    values: { invite_url: url, invited_by: ctx.actor.label ?? '' },
    dedupe: `${url.slice(-16)}:${expiresAt}`,
  });
  return true;
}

/**
 * Mails a link to a new password to whoever has an account with an address. The caller learns nothing of whether there
 * is one.
 */
export async function askForReset(ctx: Ctx, address: string): Promise<void> {
  await Promise.all([sleep(FLOOR_MS), mailReset(ctx, address)]);
}

/** Undoes the link of a request that came too soon after another one: the mailed one stays good. */
class TooSoon extends Error {}

async function mailReset(ctx: Ctx, address: string): Promise<void> {
  const found = await repo.findByEmail(ctx, normalEmail(address));
  if (found?.status !== 'active') return;
  await ctx
    .tx(async (ctx) => {
      const account = await repo.lockForSignIn(ctx, found.id);
      if (account?.status !== 'active') return;
      const { url } = await openingLink(ctx, 'reset-password', account);
      const sent = await queueMail(ctx, passwordResetMail, {
        // The stored address, whatever look-alike was typed.
        to: { address: account.email },
        locale: 'en',
        values: { reset_url: url, ip: ctx.origin.ip ?? '' },
        dedupe: `${account.id}:${ctx.now().slice(0, MINUTE)}`,
      });
      if (sent === null) throw new TooSoon();
    })
    .catch((error: unknown) => {
      if (!(error instanceof TooSoon)) throw error;
    });
}
