import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { page, refuseForm, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { balanceOf, type ShownBalance } from '#storefront/pricing/gift-cards/index.ts';
import { shopPage } from './frame.ts';
import { type Crumb, seoOf, trailOf } from './seo.ts';
import { languageHead, type ShopWords, wordsOf } from './words.ts';

const PATH = '/shop/gift-cards/balance';
const MOST = 2000;

const Query = later(() => z.object({ lang: z.string().max(20).optional().catch(undefined) }));

/** What a card has, in sentences. */
function linesOf(
  { status, last4, freeCents, currency, expiresAt }: ShownBalance,
  words: ShopWords,
): string[] {
  const { t, lang, money } = words;
  if (status !== 'active') return [t(`gift_card.${status}`)];
  const left = t('gift_card.left', { last4, amount: money(freeCents, currency) });
  if (expiresAt === null) return [left];
  const day = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' });
  return [left, t('gift_card.until', { date: day.format(new Date(expiresAt)) })];
}

async function shown(
  ctx: Ctx,
  { query, visitor }: { query: z.output<typeof Query>; visitor: Visitor },
  found: ShownBalance | null,
) {
  const words = await wordsOf(ctx, visitor, query.lang);
  const title = words.t('gift_card.title');
  const crumbs: Crumb[] = [
    { label: words.t('nav.home'), href: '/shop/' },
    { label: title, href: PATH },
  ];
  const seo = seoOf(ctx, {
    path: PATH,
    lang: query.lang,
    description: words.t('gift_card.intro'),
    index: found === null,
    ld: [trailOf(ctx, crumbs)],
  });
  const action = PATH + (query.lang === undefined ? '' : `?lang=${words.lang}`);
  const lines = found && linesOf(found, words);
  return show(
    'shop/gift-card-balance',
    { ...words, title, crumbs, seo, action, lines },
    { head: languageHead(query.lang) },
  );
}

/** Where shoppers see what is left on a gift card (shop-pages 2.1). */
export const giftCardBalancePage = page({
  ...shopPage,
  path: PATH,
  title: 'Gift card balance',
  enabledBy: featureSettings.gift_cards_enabled,
  query: Query,
  // Who mistyped a code corrects it: it comes back to whoever sent it.
  form: later(() => z.object({ code: text({ max: MOST }).default('').meta({ secret: false }) })),
  // The same bucket as that of the JSON: nobody gets twice as many tries.
  limit: { submit: [limits.giftCardBalance] },
  show: (ctx, asked) => shown(ctx, asked, null),
  async submit(ctx, { form, ...asked }) {
    try {
      return await shown(ctx, asked, await balanceOf(ctx, form.code));
    } catch (error) {
      if (!(error instanceof AppError) || error.details.reason !== 'GIFT_CARD_INVALID') throw error;
      const { t } = await wordsOf(ctx, asked.visitor, asked.query.lang);
      const wrong = t('gift_card.invalid');
      throw refuseForm(wrong, { code: wrong });
    }
  },
});
