import type { Ctx } from '#kernel/context.ts';
import { defineMail, queueMail } from '#platform/mail/index.ts';
import type { AccountRow } from '../customers/index.ts';

/** One mail a minute for an account, whoever asks from wherever. */
const MINUTE = '2026-03-01T12:00'.length;

export const emailVerificationMail = defineMail({
  key: 'email_verification',
  placeholders: ['verify_url'],
  sample: { verify_url: 'https://shop.example/shop/verify-email/abc' },
  isSecret: true,
});

/** Somebody registered with an address that has an account: only its owner learns of it. */
export const accountExistsMail = defineMail({
  key: 'account_exists',
  placeholders: ['login_url', 'forgot_url'],
  sample: {
    login_url: 'https://shop.example/shop/login',
    forgot_url: 'https://shop.example/shop/forgot-password',
  },
});

export const accountMails = [emailVerificationMail, accountExistsMail];

type Reader = Pick<AccountRow, 'id' | 'email' | 'firstName' | 'lastName'>;

/** To whom mails of an account go: the stored address, whatever look-alike was typed. */
const reader = ({ email, firstName, lastName }: Reader) => ({
  address: email,
  name: [firstName, lastName].filter(Boolean).join(' ') || null,
});

const related = ({ id }: Reader) => ({ type: 'shop-customer', id });

/** @returns id of the mail; null when one was written in this minute already */
export const mailVerification = (
  ctx: Ctx,
  account: Reader,
  { url, locale }: { url: string; locale: string },
): Promise<string | null> =>
  queueMail(ctx, emailVerificationMail, {
    to: reader(account),
    locale,
    values: { verify_url: url },
    dedupe: `${account.id}:${url.slice(-16)}`,
    related: related(account),
  });

export const mailAccountExists = (ctx: Ctx, account: Reader, locale: string): Promise<string | null> =>
  queueMail(ctx, accountExistsMail, {
    to: reader(account),
    locale,
    values: {
      login_url: `${ctx.baseUrl}/shop/login`,
      forgot_url: `${ctx.baseUrl}/shop/forgot-password`,
    },
    dedupe: `${account.id}:${ctx.now().slice(0, MINUTE)}`,
    related: related(account),
  });
