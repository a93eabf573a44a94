import type { Ctx } from '#kernel/context.ts';
import { defineMail, passwordResetMail, queueMail } from '#platform/mail/index.ts';
import { type AccountRow, emailNormed } from '../customers/index.ts';

/** One mail a minute for an account, whoever asks from wherever. */
const MINUTE = '2026-03-01T12:00'.length;

export const emailVerificationMail = defineMail({
  key: 'email_verification',
  placeholders: ['verify_url'],
  sample: { verify_url: 'https://shop.example/shop/verify-email/abc' },
  isSecret: true,
  mostAnHour: 5,
});

/** Somebody registered with an address that has an account: only its owner learns of it. */
export const accountExistsMail = defineMail({
  key: 'account_exists',
  placeholders: ['login_url', 'forgot_url'],
  sample: {
    login_url: 'https://shop.example/shop/login',
    forgot_url: 'https://shop.example/shop/forgot-password',
  },
  isNeeded: true,
  mostAnHour: 3,
});

export const emailChangeMail = defineMail({
  key: 'email_change',
  placeholders: ['verify_url'],
  sample: { verify_url: 'https://shop.example/shop/change-email/abc' },
  isSecret: true,
  mostAnHour: 5,
});

/** To the address that an account has so far. */
export const emailChangeNoticeMail = defineMail({
  key: 'email_change_notice',
  placeholders: ['new_email'],
  sample: { new_email: 'ann@example.com' },
  isNeeded: true,
});

export const twoFactorChangedMail = defineMail({
  key: 'two_factor_changed',
  placeholders: ['turned_on', 'turned_off', 'ip'],
  sample: { turned_on: '1', turned_off: '', ip: '192.0.2.7' },
  isNeeded: true,
});

/** To whom staff added: nobody can sign in before a password is chosen. */
export const accountInviteMail = defineMail({
  key: 'account_invite',
  placeholders: ['invite_url'],
  sample: { invite_url: 'https://shop.example/shop/reset-password/abc' },
  isSecret: true,
});

/** A sign-in from a browser in which the customer never signed in before. */
export const newSignInMail = defineMail({
  key: 'new_sign_in',
  placeholders: ['ip', 'device', 'time', 'forgot_url'],
  sample: {
    ip: '192.0.2.7',
    device: 'Firefox, Windows',
    time: '2026-03-01 12:00 UTC',
    forgot_url: 'https://shop.example/shop/forgot-password',
  },
  isNeeded: true,
});

export const accountMails = [
  emailVerificationMail,
  accountExistsMail,
  emailChangeMail,
  emailChangeNoticeMail,
  twoFactorChangedMail,
  accountInviteMail,
  newSignInMail,
];

type Reader = Pick<AccountRow, 'id' | 'email' | 'firstName' | 'lastName'>;

/** To whom mails of an account go: the stored address, whatever look-alike was typed. */
const reader = ({ email, firstName, lastName }: Reader) => ({
  address: email,
  name: [firstName, lastName].filter(Boolean).join(' ') || null,
});

const related = ({ id }: Reader) => ({ type: 'shop-customer', id });
const thisMinute = (ctx: Ctx): string => ctx.now().slice(0, MINUTE);

interface Link {
  readonly url: string;
  readonly locale: string;
}

/** @param link `isAgain`: at most one a minute @returns id of the mail; null when one was written in this minute */
export const mailVerification = (
  ctx: Ctx,
  account: Reader,
  { url, locale, isAgain }: Link & { readonly isAgain: boolean },
): Promise<string | null> =>
  queueMail(ctx, emailVerificationMail, {
    to: reader(account),
    locale,
    values: { verify_url: url },
    dedupe: `${account.id}:${isAgain ? thisMinute(ctx) : url.slice(-16)}`,
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
    dedupe: `${account.id}:${thisMinute(ctx)}`,
    related: related(account),
  });

/** @returns id of the mail; null when one was written in this minute already */
export const mailReset = (
  ctx: Ctx,
  account: Reader,
  { url, locale, isByStaff = false }: Link & { readonly isByStaff?: boolean },
): Promise<string | null> =>
  queueMail(ctx, passwordResetMail, {
    to: reader(account),
    locale,
    values: { reset_url: url, ip: isByStaff ? '' : (ctx.origin.ip ?? '') },
    dedupe: `${account.id}:${thisMinute(ctx)}`,
    related: related(account),
  });

/** @returns id of the mail; null when one was written in this minute already */
export const mailInvite = (ctx: Ctx, account: Reader, { url, locale }: Link): Promise<string | null> =>
  queueMail(ctx, accountInviteMail, {
    to: reader(account),
    locale,
    values: { invite_url: url },
    dedupe: `${account.id}:${thisMinute(ctx)}`,
    related: related(account),
  });

/** Tells an address that the account is to have another one. */
export const mailEmailChangeNotice = (
  ctx: Ctx,
  account: Reader,
  { email, locale }: { readonly email: string; readonly locale: string },
): Promise<string | null> =>
  queueMail(ctx, emailChangeNoticeMail, {
    to: reader(account),
    locale,
    values: { new_email: email },
    dedupe: `${account.id}:${emailNormed(email)}:${thisMinute(ctx)}`,
    related: related(account),
  });

/** Writes the link to the new address. */
export async function mailEmailChange(
  ctx: Ctx,
  account: Reader,
  { email, url, locale }: Link & { readonly email: string },
): Promise<void> {
  await queueMail(ctx, emailChangeMail, {
    to: { ...reader(account), address: email },
    locale,
    values: { verify_url: url },
    dedupe: `${account.id}:${url.slice(-16)}`,
    related: related(account),
  });
}

/** Says that somebody switched the second factor on or off. */
export const mailTwoFactor = (
  ctx: Ctx,
  account: Reader,
  { isOn, locale }: { readonly isOn: boolean; readonly locale: string },
): Promise<string | null> =>
  queueMail(ctx, twoFactorChangedMail, {
    to: reader(account),
    locale,
    values: {
      turned_on: isOn ? account.email : '',
      turned_off: isOn ? '' : account.email,
      ip: ctx.origin.ip ?? '',
    },
    dedupe: `${account.id}:${isOn}:${ctx.now()}`,
    related: related(account),
  });

/** Says that somebody signed in in a browser that is new to the customer. */
export const mailNewSignIn = (
  ctx: Ctx,
  account: Reader,
  said: { readonly deviceId: string; readonly device: string; readonly locale: string },
): Promise<string | null> =>
  queueMail(ctx, newSignInMail, {
    to: reader(account),
    locale: said.locale,
    values: {
      ip: ctx.origin.ip ?? '',
      device: said.device,
      time: `${thisMinute(ctx).replace('T', ' ')} UTC`,
      forgot_url: `${ctx.baseUrl}/shop/forgot-password`,
    },
    dedupe: said.deviceId,
    related: related(account),
  });
