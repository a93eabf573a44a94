import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { file, goTo, page, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { forShopper } from '#storefront/buying/pay-links/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { offlineInstructions } from '#storefront/contract/payment-settings.ts';
import { invoiceDocument } from '#storefront/orders/documents/index.ts';
import { type Order, orderOfToken, orderPath, settlement } from '#storefront/orders/orders/index.ts';
import { activeProcessors } from '#storefront/orders/processors/index.ts';
import { returnPath } from '#storefront/orders/returns/index.ts';
import { cancelOwn, shopperOrder } from '#storefront/orders/shopper-orders/index.ts';
import { languageHead, type ShopWords, secretPage, wordsOf } from '../shop/index.ts';
import { FileForm, linkRefused, pathToFile } from './download-model.ts';
import { deliveredShown } from './license-model.ts';
import { orderShown } from './order-model.ts';
import { refusedIn } from './refusals.ts';
import { returnsShown } from './return-model.ts';

const Query = later(() => z.object({ lang: z.string().max(20).optional().catch(undefined) }));
const Params = later(() => z.object({ token: z.string().max(200) }));

/** What the pages of a link of an order have in common. */
export const guestBase = { ...secretPage, params: Params, query: Query } as const;

/** Where its links lead is not told its address. @param lang that the address asks for */
export const untold = (lang: string | undefined) => ({
  ...languageHead(lang),
  headers: { 'Referrer-Policy': 'no-referrer' },
});

export const asked = (lang: string | undefined): string =>
  lang === undefined ? '' : `?lang=${encodeURIComponent(lang)}`;

/** What somebody with a link asks for. */
export interface Asked {
  readonly params: z.output<typeof Params>;
  readonly query: z.output<typeof Query>;
  readonly visitor: Visitor;
}

/** Does something with the order of a link; a link that opens none leads to where orders are found by number. */
export async function withOrder(
  ctx: Ctx,
  { params, query, visitor }: Asked,
  work: (order: Order, words: ShopWords) => Promise<Shown>,
): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, query.lang);
  try {
    return await work(await orderOfToken(ctx, params.token), words);
  } catch (error) {
    const reason = error instanceof AppError ? error.details.reason : null;
    if (reason !== 'TOKEN_EXPIRED' && reason !== 'TOKEN_INVALID') throw error;
    const data = { ...words, title: words.t('order.over_title'), query: asked(query.lang) };
    return show('shop/link-over', data, {
      status: reason === 'TOKEN_EXPIRED' ? 410 : 404,
      head: untold(query.lang),
    });
  }
}

async function shownOrder(
  ctx: Ctx,
  { params, query, visitor }: Asked,
  words: ShopWords,
  order: Order,
  wrong: string | null = null,
): Promise<Shown> {
  const shown = await shopperOrder(ctx, order);
  const { canCancel, canPay, canReturn } = shown.actions;
  const data = {
    ...words,
    title: words.t('order.title', { number: order.orderNumber }),
    ...orderShown(ctx, shown, words),
    path: orderPath(params.token),
    query: asked(query.lang),
    canCancel,
    canReturn,
    returns: await returnsShown(
      ctx,
      order,
      words,
      (number) => returnPath(orderPath(params.token), number) + asked(query.lang),
    ),
    canPay: canPay && activeProcessors(ctx).some(({ kind }) => kind !== 'offline'),
    due: words.money(settlement(order), order.currency),
    instructions: canPay && order.processor === 'offline' ? ctx.settings.get(offlineInstructions) : null,
    ...(await deliveredShown(ctx, order, visitor, words)),
    wrong,
  };
  return show('shop/order', data, { status: wrong === null ? 200 : 400, head: untold(query.lang) });
}

/** An order by the link of its mails (shop-pages 2.3): whoever has the link sees all of it. */
export const orderPage = page({
  ...guestBase,
  path: orderPath('{token}'),
  title: 'Order',
  show: (ctx, asked) => withOrder(ctx, asked, (order, words) => shownOrder(ctx, asked, words, order)),
});

/** Mail scanners open links: only the button of the page cancels. */
export const cancelOrderPage = page({
  ...guestBase,
  path: `${orderPath('{token}')}/cancel`,
  title: 'Order',
  form: z.object({}),
  show: async (_ctx, { params, query }) => goTo(orderPath(params.token) + asked(query.lang)),
  submit: (ctx, sent) =>
    withOrder(ctx, sent, async (order, words) => {
      try {
        await cancelOwn(ctx, order);
      } catch (error) {
        if (!(error instanceof AppError) || error.details.reason !== 'INVALID_TRANSITION') throw error;
        return shownOrder(ctx, sent, words, order, words.t('order.cancel_late'));
      }
      return goTo(orderPath(sent.params.token) + asked(sent.query.lang));
    }),
});

/** Leads to where the rest of an order is paid. */
export const payOrderPage = page({
  ...guestBase,
  path: `${orderPath('{token}')}/pay`,
  title: 'Order',
  form: z.object({}),
  limit: { submit: [limits.checkoutForm] },
  show: async (_ctx, { params, query }) => goTo(orderPath(params.token) + asked(query.lang)),
  submit: (ctx, sent) =>
    withOrder(ctx, sent, async (order, words) => {
      try {
        return goTo(`/shop/pay/${await forShopper(ctx, order)}${asked(sent.query.lang)}`);
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        return shownOrder(ctx, sent, words, order, refusedIn(words, error).message);
      }
    }),
});

/** Leads to a file of the order, by a link that fetches it once: the page itself is a link that many programs open. */
export const downloadOrderPage = page({
  ...guestBase,
  path: `${orderPath('{token}')}/download`,
  title: 'Download',
  form: FileForm,
  limit: { submit: [limits.orderDownloadLink] },
  show: async (_ctx, { params, query }) => goTo(orderPath(params.token) + asked(query.lang)),
  submit: (ctx, sent) =>
    withOrder(ctx, sent, async (order, words) => {
      try {
        return goTo(await pathToFile(ctx, order, sent.form));
      } catch (error) {
        return shownOrder(ctx, sent, words, order, linkRefused(words, error));
      }
    }),
});

/** The invoice of an order as a file, which nobody keeps on the way. */
export async function invoiceFile(ctx: Ctx, { id }: Order): Promise<Shown> {
  const { fileName, bytes } = await invoiceDocument(ctx, id);
  return file('application/pdf', bytes, {
    headers: {
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
    },
  });
}

/** The invoice by the link of a mail. */
export const orderInvoicePage = page({
  ...guestBase,
  path: `${orderPath('{token}')}/invoice.pdf`,
  title: 'Invoice',
  limit: { show: limits.invoice },
  show: (ctx, asked) => withOrder(ctx, asked, (order) => invoiceFile(ctx, order)),
});
