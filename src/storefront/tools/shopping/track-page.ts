import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { linkAgain, shopperOrder, type Tracked, track } from '#storefront/orders/shopper-orders/index.ts';
import { type Crumb, languageHead, seoOf, shopPage, wordsOf } from '../shop/index.ts';
import { historyShown, parcelsShown, standingShown } from './order-model.ts';

export const TRACK = '/shop/track';
const MOST = 300;
const Query = later(() => z.object({ lang: z.string().max(20).optional().catch(undefined) }));

interface Asked {
  readonly query: z.output<typeof Query>;
  readonly visitor: Visitor;
}

/** What somebody has found, and whether its link was mailed just now. */
interface Found extends Tracked {
  readonly email: string;
  readonly isSent: boolean;
}

async function shown(ctx: Ctx, { query, visitor }: Asked, found: Found | null): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, query.lang);
  const title = words.t('track.title');
  const crumbs: Crumb[] = [
    { label: words.t('nav.home'), href: '/shop/' },
    { label: title, href: TRACK },
  ];
  const seo = seoOf(ctx, {
    path: TRACK,
    lang: query.lang,
    description: words.t('track.intro'),
    index: false,
    ld: [],
  });
  const action = TRACK + (query.lang === undefined ? '' : `?lang=${words.lang}`);
  const order = found && {
    standing: standingShown(ctx, found.order, words),
    parcels: parcelsShown(ctx, found.parcels, [], words),
    history: historyShown(ctx, found.history, found.order.currency, words),
    // What it takes to return or to cancel is behind the link: its mail proves the address.
    canReturn: (await shopperOrder(ctx, found.order)).actions.canReturn,
    asked: { number: found.order.orderNumber, email: found.email },
    isSent: found.isSent,
  };
  const data = { ...words, title, crumbs, seo, action, order };
  return show('shop/track', data, { head: languageHead(query.lang) });
}

/** How far an order is, for whoever has its number and address, and no link (shop-pages 2.7). */
export const trackPage = page({
  ...shopPage,
  path: TRACK,
  title: 'Track an order',
  query: Query,
  form: later(() =>
    z.object({
      order_number: text({ max: MOST }).default(''),
      email: text({ max: MOST }).default(''),
      link: z.string().max(1).optional(),
    }),
  ),
  // The same bucket as that of the JSON: nobody gets twice as many tries.
  limit: { submit: [limits.trackOrder] },
  show: (ctx, asked) => shown(ctx, asked, null),
  async submit(ctx, { form, ...asked }) {
    try {
      const { order_number: number, email, link } = form;
      const found = await track(ctx, { number, email });
      if (link !== undefined) await linkAgain(ctx, found.order);
      return await shown(ctx, asked, { ...found, email, isSent: link !== undefined });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
      const { t } = await wordsOf(ctx, asked.visitor, asked.query.lang);
      const wrong = t('track.none');
      throw refuseForm(wrong, { order_number: wrong });
    }
  },
});
