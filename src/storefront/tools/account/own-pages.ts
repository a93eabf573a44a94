import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { file, goTo, type Page, page } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { shopNameOf } from '#storefront/contract/settings.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { exportCustomer, openBusiness } from '#storefront/people/privacy/index.ts';
import { type ShopWords, wordsOf } from '../shop/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { ACCOUNT } from './nav.ts';
import { changePreferences, changeProfile, deleteAccount, preferencesOf, profileOf } from './own-account.ts';
import { DELETE_WORD, ProfileBody } from './own-schemas.ts';
import { inWords, refuseWith } from './refusals.ts';

const MOST = 1000;
const field = () => text({ max: MOST }).default('');
const Query = AccountQuery.extend({ done: z.literal('1').optional().catch(undefined) });

/** Where a form leads when it is done: to itself, which says so. */
export const doneAt = (path: string, lang: string | undefined, done = '1'): string =>
  `${path}?done=${done}${lang === undefined ? '' : `&lang=${encodeURIComponent(lang)}`}`;

const PROFILE = `${ACCOUNT}/profile`;

/** Who a customer is (shop-pages 2.6). */
export const profilePage = page({
  ...accountPage,
  path: PROFILE,
  title: 'Your profile',
  query: Query,
  form: later(() => z.object({ first_name: field(), last_name: field(), phone: field(), birthday: field() })),
  async show(ctx, { query, visitor }) {
    const one = await profileOf(ctx, customerIdOf(ctx));
    return shownAccount(ctx, visitor, {
      view: 'shop/account-profile',
      path: PROFILE,
      title: 'account.profile',
      lang: query.lang,
      data: () => ({ email: one.email, isDone: query.done !== undefined }),
      values: {
        first_name: one.first_name ?? '',
        last_name: one.last_name ?? '',
        phone: one.phone ?? '',
        birthday: one.birthday ?? '',
      },
    });
  },
  async submit(ctx, { form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const judged = ProfileBody.safeParse(form);
    if (!judged.success) {
      const fields = judged.error.issues.map(({ path }) => [
        String(path[0]),
        words.t('account.fault_invalid'),
      ]);
      throw refuseWith(words.t('account.fault_invalid'), Object.fromEntries(fields));
    }
    await inWords(words, () => changeProfile(ctx, customerIdOf(ctx), judged.data));
    return goTo(doneAt(PROFILE, query.lang));
  },
});

const PREFERENCES = `${ACCOUNT}/preferences`;
const CHOICES = ['accepts_marketing', 'cart_reminders', 'review_requests'] as const;
const box = () => z.literal('1').optional().catch(undefined);

/** What somebody agrees to: it is kept as it was read. */
const consentOf = (ctx: Ctx, { t }: ShopWords): string =>
  t('account.accepts_marketing', { shop: shopNameOf(ctx) });

/** Which emails a customer wants. */
export const preferencesPage = page({
  ...accountPage,
  path: PREFERENCES,
  title: 'Emails',
  query: Query,
  form: later(() => z.object({ accepts_marketing: box(), cart_reminders: box(), review_requests: box() })),
  async show(ctx, { query, visitor }) {
    const chosen = await preferencesOf(ctx, customerIdOf(ctx));
    return shownAccount(ctx, visitor, {
      view: 'shop/account-preferences',
      path: PREFERENCES,
      title: 'account.preferences',
      lang: query.lang,
      data: (words) => ({
        isDone: query.done !== undefined,
        choices: CHOICES.map((name) => ({
          name,
          label: words.t(`account.${name}`, { shop: shopNameOf(ctx) }),
          isChosen: chosen[name],
        })),
      }),
    });
  },
  async submit(ctx, { form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const sent = Object.fromEntries(CHOICES.map((name) => [name, form[name] === '1']));
    const consent = { text: consentOf(ctx, words), locale: words.lang };
    await changePreferences(ctx, customerIdOf(ctx), sent, consent);
    return goTo(doneAt(PREFERENCES, query.lang));
  },
});

const PRIVACY = `${ACCOUNT}/delete`;

/** A copy of everything, and the end of the account. */
export const privacyPage = page({
  ...accountPage,
  path: PRIVACY,
  title: 'Your data',
  query: AccountQuery,
  form: z.object({ password: field(), confirm: field() }),
  limit: { submit: [limits.customerProof] },
  async show(ctx, { query, visitor }) {
    const open = await openBusiness(ctx, customerIdOf(ctx));
    return shownAccount(ctx, visitor, {
      view: 'shop/account-privacy',
      path: PRIVACY,
      title: 'account.privacy',
      lang: query.lang,
      data: () => ({ word: DELETE_WORD, open: open.orders + open.returns > 0 ? open : null }),
    });
  },
  async submit(ctx, { form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    await inWords(words, () => deleteAccount(ctx, customerIdOf(ctx), form));
    await visitor.session.signOut();
    return goTo(query.lang === undefined ? '/shop/' : `/shop/?lang=${encodeURIComponent(query.lang)}`);
  },
});

/** A copy of everything that the shop stores of the customer. */
export const exportPage = page({
  ...accountPage,
  path: `${ACCOUNT}/export`,
  title: 'Your data',
  limit: { show: limits.customerExport },
  async show(ctx) {
    const bytes = Buffer.from(JSON.stringify(await exportCustomer(ctx, customerIdOf(ctx)), null, 2));
    return file('application/json', bytes, {
      headers: {
        'Content-Disposition': 'attachment; filename="my-data.json"',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Robots-Tag': 'noindex',
      },
    });
  },
});

export const ownPages: readonly Page[] = [profilePage, preferencesPage, privacyPage, exportPage];
