import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { goTo, page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { limits } from '#storefront/contract/limits.ts';
import { photoFile } from '#storefront/contract/photo-file.ts';
import { featureSettings, timezone } from '#storefront/contract/settings.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import { type ShopWords, wordsOf } from '../shop/index.ts';
import {
  cancelFrom,
  labelFile,
  MessageForm,
  NoForm,
  photoFiles,
  RequestForm,
  requestFrom,
  returnableShown,
  returnShown,
  TrackingForm,
  trackFrom,
  writeFrom,
} from '../shopping/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { ACCOUNT } from './nav.ts';

/** Own returns, and asking for one (shop-pages 2.6). */
export const RETURNS = `${ACCOUNT}/returns`;

const MOST_SHOWN = 100;
const base = { ...accountPage, enabledBy: featureSettings.returns_enabled, query: AccountQuery } as const;
const limit = { submit: [limits.returnRequest] } as const;
const asked = (lang: string | undefined): string =>
  lang === undefined ? '' : `?lang=${encodeURIComponent(lang)}`;

type Query = z.output<typeof AccountQuery>;
interface Asked {
  readonly query: Query;
  readonly visitor: Visitor;
}

/** The returns of the customer. */
const listPage = page({
  ...base,
  path: RETURNS,
  title: 'Returns',
  async show(ctx, { query: { lang }, visitor }) {
    const { items } = await returns.ownReturns(ctx, { offset: 0, limit: MOST_SHOWN });
    const day = (words: ShopWords) =>
      new Intl.DateTimeFormat(words.lang, { dateStyle: 'long', timeZone: ctx.settings.get(timezone) });
    return shownAccount(ctx, visitor, {
      view: 'shop/account-returns',
      path: RETURNS,
      title: 'return.list',
      lang,
      data: (words) => ({
        returns: items.map(({ returnNumber, orderNumber, status, requestedAt }) => ({
          number: returnNumber,
          orderNumber,
          state: words.t(`return.state_${status}`),
          at: { iso: requestedAt, words: day(words).format(new Date(requestedAt)) },
          href: `${RETURNS}/${encodeURIComponent(returnNumber)}${asked(lang)}`,
        })),
      }),
    });
  },
});

const newPath = (number: string): string => `${RETURNS}/new/${encodeURIComponent(number)}`;

/** Asks to return something of an own order. */
const newPage = page({
  ...base,
  path: `${RETURNS}/new/{order_number}`,
  title: 'Return items',
  params: z.object({ order_number: z.string().max(40) }),
  form: RequestForm,
  files: photoFiles,
  limit,
  async show(ctx, { params, query: { lang }, visitor }) {
    const order = await returns.ownOrder(ctx, params.order_number);
    return shownAccount(ctx, visitor, {
      view: 'shop/return-new',
      path: newPath(params.order_number),
      title: 'return.new',
      lang,
      data: async (words) => ({
        title: words.t('return.new_title', { number: order.orderNumber }),
        ...(await returnableShown(ctx, order, words)),
        action: newPath(params.order_number) + asked(lang),
        back: RETURNS + asked(lang),
      }),
    });
  },
  async submit(ctx, { params, query: { lang }, visitor, form, files }) {
    const order = await returns.ownOrder(ctx, params.order_number);
    const { returnNumber } = await requestFrom(ctx, order, await wordsOf(ctx, visitor, lang), form, files);
    return goTo(`${RETURNS}/${encodeURIComponent(returnNumber)}${asked(lang)}`);
  },
});

const Numbered = z.object({ return_number: z.string().max(40) });

async function shown(ctx: Ctx, { query: { lang }, visitor }: Asked, one: returns.Return): Promise<Shown> {
  const path = `${RETURNS}/${encodeURIComponent(one.returnNumber)}`;
  return shownAccount(ctx, visitor, {
    view: 'shop/return',
    path,
    title: 'return.list',
    lang,
    data: async (words) => ({
      title: words.t('return.title', { number: one.returnNumber }),
      ...(await returnShown(ctx, one, words)),
      path,
      query: asked(lang),
      back: RETURNS + asked(lang),
    }),
  });
}

/** An own return. */
const returnPage = page({
  ...base,
  path: `${RETURNS}/{return_number}`,
  title: 'Return',
  params: Numbered,
  show: async (ctx, { params, ...asked }) =>
    shown(ctx, asked, await returns.ownReturn(ctx, params.return_number)),
});

const stepped = <F extends z.ZodObject>(
  name: string,
  form: F,
  work: (ctx: Ctx, one: returns.Return, words: ShopWords, form: z.output<F>) => Promise<unknown>,
) =>
  page({
    ...base,
    path: `${RETURNS}/{return_number}/${name}`,
    title: 'Return',
    params: Numbered,
    form: form as z.ZodObject,
    limit,
    show: async (ctx, { params, ...asked }) =>
      shown(ctx, asked, await returns.ownReturn(ctx, params.return_number)),
    async submit(ctx, { params, query: { lang }, visitor, form: sent }) {
      const one = await returns.ownReturn(ctx, params.return_number);
      await work(ctx, one, await wordsOf(ctx, visitor, lang), sent as z.output<F>);
      return goTo(`${RETURNS}/${encodeURIComponent(one.returnNumber)}${asked(lang)}`);
    },
  });

const labelPage = page({
  ...base,
  path: `${RETURNS}/{return_number}/label.pdf`,
  title: 'Label',
  params: Numbered,
  show: async (ctx, { params }) => labelFile(ctx, await returns.ownReturn(ctx, params.return_number)),
});

const photoPage = page({
  ...base,
  path: `${RETURNS}/{return_number}/photos/{photo}`,
  title: 'Photo',
  params: Numbered.extend({ photo: z.string().max(30) }),
  show: async (ctx, { params }) =>
    photoFile(
      await returns.photoBytes(ctx, await returns.ownReturn(ctx, params.return_number), params.photo),
    ),
});

export const accountReturnPages = [
  labelPage,
  photoPage,
  listPage,
  newPage,
  returnPage,
  stepped('cancel', NoForm, (ctx, one, words) => cancelFrom(ctx, one, words)),
  stepped('shipping', TrackingForm, trackFrom),
  stepped('messages', MessageForm, writeFrom),
];
