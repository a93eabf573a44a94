import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { minPasswordLength } from '#platform/passwords/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import * as accounts from '#storefront/people/accounts/index.ts';
import { secretPage, wordsOf } from '../shop/index.ts';
import { AccountQuery, shownAt } from './frame.ts';
import { FORGOT, LOGIN, RESEND } from './paths.ts';
import { inWords } from './refusals.ts';

const UNTOLD = { headers: { 'Referrer-Policy': 'no-referrer' } };
const Token = z.object({ token: z.string() });
/** A mail scanner opens links too: to look at the page uses nothing up, its form does (reliability M14). */
const byLink = {
  ...secretPage,
  params: Token,
  query: AccountQuery,
  limit: { show: limits.mailLink, submit: [limits.mailLink] },
} as const;

/** A page that asks for an address and answers alike for each. */
const askPage = (
  path: string,
  title: string,
  words: string,
  limit: (typeof limits)['forgotPassword' | 'resendVerification'],
  ask: (ctx: Ctx, email: string, locale: string) => Promise<void>,
) => {
  const shown = (ctx: Ctx, visitor: Visitor, lang: string | undefined, isSent: boolean): Promise<Shown> =>
    shownAt(ctx, visitor, {
      view: 'shop/ask-for-mail',
      path,
      title: words,
      lang,
      data: ({ t }) => ({ isSent, intro: t(`${words}_text`), loginHref: LOGIN }),
    });
  return page({
    ...secretPage,
    path,
    title,
    query: AccountQuery,
    form: z.object({ email: text({ max: 1000 }).default('') }),
    limit: { submit: [limit] },
    show: (ctx, { query, visitor }) => shown(ctx, visitor, query.lang, false),
    async submit(ctx, { form, query, visitor }) {
      const { lang } = await wordsOf(ctx, visitor, query.lang);
      await ask(ctx, form.email.slice(0, 255), lang);
      return shown(ctx, visitor, query.lang, true);
    },
  });
};

export const forgotPage = askPage(
  FORGOT,
  'Forgot your password',
  'account.forgot',
  limits.forgotPassword,
  accounts.forgotPassword,
);

export const resendPage = askPage(
  RESEND,
  'Verify your email address',
  'account.resend',
  limits.resendVerification,
  accounts.resendVerification,
);

interface Found {
  readonly email: string;
  readonly isDone: boolean;
}

/** What a link shows: what it would do, what it did, or that it does nothing any more. */
const shownLink = (
  ctx: Ctx,
  visitor: Visitor,
  { view, title, lang }: { view: string; title: string; lang: string | undefined },
  found: Found | null,
): Promise<Shown> =>
  shownAt(ctx, visitor, {
    view: found ? view : 'shop/link-ended',
    path: LOGIN,
    title: found ? title : 'account.link_ended',
    lang,
    data: () => ({ ...found, fewest: ctx.settings.get(minPasswordLength), loginHref: LOGIN }),
    ...(!found && { status: 404 }),
    head: UNTOLD,
  });

/** A page whose button uses a link up. */
const buttonPage = (
  path: string,
  title: string,
  { view, words }: { view: string; words: string },
  look: (ctx: Ctx, token: string) => Promise<{ email: string } | null>,
  use: (ctx: Ctx, token: string) => Promise<{ email: string }>,
) =>
  page({
    ...byLink,
    path,
    title,
    async show(ctx, { params, query, visitor }) {
      const found = await look(ctx, params.token);
      const about = { view, title: words, lang: query.lang };
      return shownLink(ctx, visitor, about, found && { email: found.email, isDone: false });
    },
    async submit(ctx, { params, query, visitor }) {
      const words_ = await wordsOf(ctx, visitor, query.lang);
      const { email } = await inWords(words_, () => use(ctx, params.token));
      return shownLink(ctx, visitor, { view, title: words, lang: query.lang }, { email, isDone: true });
    },
  });

export const verifyPage = buttonPage(
  '/shop/verify-email/{token}',
  'Verify your email address',
  { view: 'shop/verify-email', words: 'account.verify' },
  accounts.lookAtVerification,
  accounts.verifyEmail,
);

export const changeEmailPage = buttonPage(
  '/shop/change-email/{token}',
  'Change your email address',
  { view: 'shop/change-email', words: 'account.change_email' },
  accounts.lookAtEmailChange,
  accounts.confirmEmailChange,
);

export const resetPage = page({
  ...byLink,
  path: '/shop/reset-password/{token}',
  title: 'New password',
  form: z.object({ password: text({ max: 1000 }).default('') }),
  async show(ctx, { params, query, visitor }) {
    const found = await accounts.lookAtReset(ctx, params.token);
    const about = { view: 'shop/reset-password', title: 'account.new_password', lang: query.lang };
    return shownLink(ctx, visitor, about, found && { email: found.email, isDone: false });
  },
  async submit(ctx, { params, form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    await inWords(words, () => accounts.resetPassword(ctx, params.token, form.password));
    const about = { view: 'shop/reset-password', title: 'account.new_password', lang: query.lang };
    return shownLink(ctx, visitor, about, { email: '', isDone: true });
  },
});

export const linkPages = [forgotPage, resendPage, verifyPage, changeEmailPage, resetPage];
