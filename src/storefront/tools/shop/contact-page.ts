import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { shopNameOf } from '#storefront/contract/settings.ts';
import { MessageInput, receive } from '#storefront/people/messages/index.ts';
import { shopPage } from './frame.ts';
import { type Crumb, seoOf, trailOf } from './seo.ts';
import { languageHead, wordsOf } from './words.ts';

const PATH = '/shop/contact';
/** More than any field takes: what is too long is refused in the language of the page. */
const MOST = 20_000;

const sent = () => z.literal('1').optional().catch(undefined);
const Query = later(() => z.object({ lang: z.string().max(20).optional().catch(undefined), sent: sent() }));

/** What is wrong with each field, in words. */
const faults: Readonly<Record<string, string>> = {
  name: 'form.too_long',
  email: 'form.email_invalid',
  subject: 'form.too_long',
  message: 'contact.message_invalid',
};

/** The contact form of the shop (shop-pages 2.1). */
export const contactPage = page({
  ...shopPage,
  path: PATH,
  title: 'Contact',
  query: Query,
  form: later(() =>
    z.object({
      name: text({ max: MOST }).default(''),
      email: text({ max: MOST }).default(''),
      subject: text({ max: MOST }).default(''),
      message: text({ max: MOST }).default(''),
      _hp: text({ max: MOST }).default(''),
    }),
  ),
  limit: { submit: [limits.contact] },
  async show(ctx, { query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const title = words.t('contact.title');
    const crumbs: Crumb[] = [
      { label: words.t('nav.home'), href: '/shop/' },
      { label: title, href: PATH },
    ];
    const isSent = query.sent !== undefined;
    const ld = [contactLd(ctx), trailOf(ctx, crumbs)];
    const description = words.t('contact.description', { shop: shopNameOf(ctx) });
    const seo = seoOf(ctx, { path: PATH, lang: query.lang, description, index: !isSent, ld });
    const data = { ...words, title, crumbs, seo, isSent };
    return show('shop/contact', data, { head: languageHead(query.lang) });
  },
  async submit(ctx, { form, query, visitor }) {
    const { t, lang } = await wordsOf(ctx, visitor, query.lang);
    const { success, data, error } = MessageInput.safeParse(form);
    if (!success) {
      const fields = Object.fromEntries(
        error.issues.map((issue) => [String(issue.path[0]), t(faultOf(issue))]),
      );
      throw refuseForm(Object.values(fields)[0] ?? '', fields);
    }
    await receive(ctx, data, lang);
    return goTo(`${PATH}?sent=1${query.lang === undefined ? '' : `&lang=${lang}`}`);
  },
});

function faultOf({ path: [field], code, ...issue }: z.core.$ZodIssue): string {
  const rule = code === 'custom' && 'params' in issue ? issue.params?.rule : undefined;
  if (field === 'subject' && rule === 'invalid_format') return 'form.one_line';
  return faults[String(field)] ?? 'form.too_long';
}

const contactLd = (ctx: Ctx): object => ({
  '@type': 'ContactPage',
  name: shopNameOf(ctx),
  url: new URL(PATH, ctx.baseUrl).href,
});
