import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { minPasswordLength } from '#platform/passwords/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import * as accounts from '#storefront/people/accounts/index.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { type ShopWords, wordsOf } from '../shop/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { SECURITY } from './nav.ts';
import { inWords, refuseWith } from './refusals.ts';

const typed = () => text({ max: 1000 }).default('');
const done = () => z.enum(['password', 'email', 'two-factor', 'sessions']).optional().catch(undefined);
const base = { ...accountPage, query: AccountQuery, limit: { submit: [limits.customerProof] } };
const withLang = (path: string, lang: string | undefined): string =>
  lang === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}lang=${encodeURIComponent(lang)}`;
const doneAt = (what: string, lang: string | undefined): Shown =>
  goTo(withLang(`${SECURITY}?done=${what}`, lang));

function sessionsShown(ctx: Ctx, visitor: Visitor, { lang, t }: ShopWords) {
  const time = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return accounts.sessionsOf(ctx, customerIdOf(ctx)).then((all) =>
    all.map(({ id, ip, userAgent, lastSeenAt }) => ({
      id,
      ip,
      browser: accounts.browserName(userAgent) ?? t('account.unknown_browser'),
      seen: `${time.format(Date.parse(lastSeenAt))} UTC`,
      isCurrent: id === visitor.session.id,
    })),
  );
}

/** What protects an account: password, address, second factor, sessions (shop-pages 2.6). */
const securityPage = page({
  ...accountPage,
  path: SECURITY,
  title: 'Security',
  query: AccountQuery.extend({ done: done() }),
  async show(ctx, { query, visitor }) {
    const customer = await accounts.shownCustomer(ctx, customerIdOf(ctx));
    return shownAccount(ctx, visitor, {
      view: 'shop/account-security',
      path: SECURITY,
      title: 'account.security',
      lang: query.lang,
      data: async (words) => ({
        email: customer?.email,
        hasTwoFactor: customer?.two_factor_enabled,
        done: query.done,
        sessions: await sessionsShown(ctx, visitor, words),
      }),
    });
  },
});

const endSessionPage = page({
  ...accountPage,
  path: `${SECURITY}/sessions`,
  title: 'End a session',
  query: AccountQuery,
  form: z.object({ id: text({ max: 40 }).default('') }),
  show: async (_ctx, { query }) => goTo(withLang(SECURITY, query.lang)),
  async submit(ctx, { form, query, visitor }) {
    const id = customerIdOf(ctx);
    // All but the own one.
    if (form.id === '') await accounts.endSessions(ctx, id, visitor.session.id);
    else await accounts.endSession(ctx, id, form.id);
    return doneAt('sessions', query.lang);
  },
});

const own = (ctx: Ctx, visitor: Visitor, lang: string | undefined, name: string, title: string, data = {}) =>
  shownAccount(ctx, visitor, {
    view: `shop/account-${name}`,
    path: `${SECURITY}/${name}`,
    title,
    lang,
    data: () => ({ fewest: ctx.settings.get(minPasswordLength), backHref: SECURITY, ...data }),
  });

const passwordPage = page({
  ...base,
  path: `${SECURITY}/password`,
  title: 'Change the password',
  form: z.object({ current_password: typed(), new_password: typed() }),
  show: (ctx, { query, visitor }) => own(ctx, visitor, query.lang, 'password', 'account.change_password'),
  async submit(ctx, { form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const given = { currentPassword: form.current_password, password: form.new_password };
    const { id, generation } = await inWords(words, () =>
      accounts.changePassword(ctx, customerIdOf(ctx), given),
    );
    // Every session ended with the old password; this one goes on under a new id.
    await visitor.session.signIn({ kind: 'customer', id, generation });
    return doneAt('password', query.lang);
  },
});

const emailPage = page({
  ...base,
  path: `${SECURITY}/email`,
  title: 'Change the email address',
  form: z.object({ password: typed(), new_email: typed() }),
  show: (ctx, { query, visitor }) => own(ctx, visitor, query.lang, 'email', 'account.change_email'),
  async submit(ctx, { form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const { success, data: email } = shopperEmail().safeParse(form.new_email);
    const wrong = words.t('form.email_invalid');
    if (!success) throw refuseWith(wrong, { new_email: wrong });
    const { password } = form;
    await inWords(words, () =>
      accounts.requestEmailChange(ctx, customerIdOf(ctx), { password, email, locale: words.lang }),
    );
    return doneAt('email', query.lang);
  },
});

export const securityPages = [securityPage, endSessionPage, passwordPage, emailPage];
