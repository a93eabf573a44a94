import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { KEPT_FORM_BYTES, keepText } from '#kernel/http/kept-form.ts';
import { goTo, page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { noteSignOut, signIn } from '#storefront/people/accounts/index.ts';
import { secretPage, wordsOf } from '../shop/index.ts';
import { begin } from './begin.ts';
import { AccountQuery, shownAt } from './frame.ts';
import { FORGOT, LOGIN, REGISTER, RESEND, returnPath, withNext } from './paths.ts';
import { inWords, refuseWith } from './refusals.ts';

export const Next = later(() =>
  AccountQuery.extend({ next: z.string().max(2000).optional().catch(undefined) }),
);
type Asked = { readonly query: z.output<typeof Next>; readonly visitor: Visitor };

const shownLogin = (ctx: Ctx, { query, visitor }: Asked): Promise<Shown> =>
  shownAt(ctx, visitor, {
    view: 'shop/login',
    path: LOGIN,
    title: 'account.sign_in',
    lang: query.lang,
    data: () => ({
      action: withNext('', query.next, query.lang),
      registerHref: withNext(REGISTER, query.next, query.lang),
      forgotHref: withNext(FORGOT, undefined, query.lang),
      resendHref: withNext(RESEND, undefined, query.lang),
    }),
  });

/** Where customers sign in (shop-pages 2.5). */
export const loginPage = page({
  ...secretPage,
  path: LOGIN,
  title: 'Sign in',
  query: Next,
  form: later(() =>
    z.object({
      email: text({ max: 1000 }).default(''),
      password: text({ max: 1000 }).default(''),
      remember: z.literal('1').optional(),
      /** Another form, which was sent when its session had ended. */
      kept: z.string().optional(),
    }),
  ),
  formBytes: KEPT_FORM_BYTES,
  limit: { submit: [limits.customerSignIn] },
  async show(ctx, { query, visitor }) {
    return visitor.customer ? goTo(returnPath(query.next)) : shownLogin(ctx, { query, visitor });
  },
  async submit(ctx, { form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const account = await inWords(words, () => signIn(ctx, form));
    if (!account) throw refuseWith(words.t('account.wrong'), {}, 401);
    if (form.kept && query.next) keepText(visitor.session, query.next, form.kept);
    const { challengeId } = await begin(ctx, visitor, account, form.remember === '1');
    return goTo(
      challengeId === null ? returnPath(query.next) : withNext(`${LOGIN}/2fa`, query.next, query.lang),
    );
  },
});

/** Ends the session: for staff, too, who are signed in in the same browser (decision 0083). */
export const logoutPage = page({
  ...secretPage,
  path: '/shop/logout',
  title: 'Sign out',
  query: AccountQuery,
  show: (ctx, { query, visitor }) =>
    shownAt(ctx, visitor, {
      view: 'shop/logout',
      path: '/shop/logout',
      title: 'account.sign_out',
      lang: query.lang,
      data: () => ({}),
    }),
  async submit(ctx, { visitor }) {
    if (visitor.customer?.id) await noteSignOut(ctx, visitor.customer.id);
    await visitor.session.signOut();
    return goTo('/shop/');
  },
});
