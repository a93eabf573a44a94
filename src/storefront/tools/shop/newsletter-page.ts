import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { email, text } from '#kernel/http/fields.ts';
import { goTo, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { shopNameOf } from '#storefront/contract/settings.ts';
import { subscribe } from '#storefront/people/newsletter/index.ts';
import { shopPage } from './frame.ts';
import { type Crumb, seoOf, trailOf } from './seo.ts';
import { languageHead, type ShopWords, wordsOf } from './words.ts';

const PATH = '/shop/newsletter';
const MOST = 2000;

const Query = later(() =>
  z.object({
    lang: z.string().max(20).optional().catch(undefined),
    sent: z.literal('1').optional().catch(undefined),
    /** What was typed on the start page. */
    email: text({ max: MOST }).optional().catch(undefined),
  }),
);

/** What a subscriber agrees to: it is stored as it was read. */
const consentOf = (ctx: Ctx, { t }: ShopWords): string => t('newsletter.consent', { shop: shopNameOf(ctx) });

/** Where shoppers ask for the newsletter; it is sent to whoever has confirmed (shop-pages 2.1). */
export const newsletterPage = page({
  ...shopPage,
  path: PATH,
  title: 'Newsletter',
  query: Query,
  form: later(() =>
    z.object({ email: text({ max: MOST }).default(''), _hp: text({ max: MOST }).default('') }),
  ),
  limit: { submit: [limits.newsletter] },
  async show(ctx, { query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const title = words.t('newsletter.title');
    const crumbs: Crumb[] = [
      { label: words.t('nav.home'), href: '/shop/' },
      { label: title, href: PATH },
    ];
    const isSent = query.sent !== undefined;
    const consent = consentOf(ctx, words);
    const isPlain = !isSent && query.email === undefined;
    const seo = seoOf(ctx, {
      path: PATH,
      lang: query.lang,
      description: consent,
      index: isPlain,
      ld: [trailOf(ctx, crumbs)],
    });
    // The address that was typed on the start page is no part of the form's own.
    const action = query.lang === undefined ? '' : `?lang=${words.lang}`;
    const data = { ...words, title, crumbs, seo, isSent, consent, action };
    const values = { email: query.email ?? '' };
    return show('shop/newsletter', data, { values, head: languageHead(query.lang) });
  },
  async submit(ctx, { form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const { success, data } = email().safeParse(form.email);
    const wrong = words.t('form.email_invalid');
    if (!success) throw refuseForm(wrong, { email: wrong });
    // A robot is told the same.
    if (form._hp === '')
      await subscribe(ctx, { email: data, locale: words.lang, consentText: consentOf(ctx, words) });
    return goTo(`${PATH}?sent=1${query.lang === undefined ? '' : `&lang=${words.lang}`}`);
  },
});
