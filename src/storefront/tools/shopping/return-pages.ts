import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { file, goTo, page, type Shown, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { photoFile } from '#storefront/contract/photo-file.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { type Order, orderPath } from '#storefront/orders/orders/index.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import type { ShopWords } from '../shop/index.ts';
import { type Asked, asked, guestBase, untold, withOrder } from './order-page.ts';
import {
  cancelFrom,
  MessageForm,
  NoForm,
  photoFiles,
  RequestForm,
  requestFrom,
  TrackingForm,
  trackFrom,
  writeFrom,
} from './return-forms.ts';
import { returnableShown, returnShown } from './return-model.ts';

const Numbered = later(() => z.object({ token: z.string().max(200), return_number: z.string().max(40) }));
type OfReturn = Asked & { readonly params: z.output<typeof Numbered> };

const base = { ...guestBase, enabledBy: featureSettings.returns_enabled } as const;
const limit = { submit: [limits.returnForm] } as const;

async function newShown(ctx: Ctx, { params, query }: Asked, words: ShopWords, order: Order): Promise<Shown> {
  const path = orderPath(params.token);
  const data = {
    ...words,
    title: words.t('return.new_title', { number: order.orderNumber }),
    ...(await returnableShown(ctx, order, words)),
    action: `${path}/return${asked(query.lang)}`,
    back: path + asked(query.lang),
  };
  return show('shop/return-new', data, { head: untold(query.lang) });
}

/** Asks to return something of the order of a link. */
export const newReturnPage = page({
  ...base,
  path: `${orderPath('{token}')}/return`,
  title: 'Return',
  form: RequestForm,
  files: photoFiles,
  limit,
  show: (ctx, sent) => withOrder(ctx, sent, (order, words) => newShown(ctx, sent, words, order)),
  submit: (ctx, { form, files, ...sent }) =>
    withOrder(ctx, sent, async (order, words) => {
      const { returnNumber } = await requestFrom(ctx, order, words, form, files);
      return goTo(returns.returnPath(orderPath(sent.params.token), returnNumber) + asked(sent.query.lang));
    }),
});

/** Does something with a return of the order of a link; one of another order is as unknown as none. */
const withReturn = (
  ctx: Ctx,
  sent: OfReturn,
  work: (one: returns.Return, words: ShopWords) => Promise<Shown>,
): Promise<Shown> =>
  withOrder(ctx, sent, async (order, words) =>
    work(await returns.getOf(ctx, order, sent.params.return_number), words),
  );

const pathOf = ({ params, query }: OfReturn, one: returns.Return): string =>
  returns.returnPath(orderPath(params.token), one.returnNumber) + asked(query.lang);

async function shown(ctx: Ctx, sent: OfReturn, words: ShopWords, one: returns.Return): Promise<Shown> {
  const path = returns.returnPath(orderPath(sent.params.token), one.returnNumber);
  const data = {
    ...words,
    title: words.t('return.title', { number: one.returnNumber }),
    ...(await returnShown(ctx, one, words)),
    path,
    query: asked(sent.query.lang),
    back: orderPath(sent.params.token) + asked(sent.query.lang),
  };
  return show('shop/return', data, { head: untold(sent.query.lang) });
}

const ofReturn = { ...base, params: Numbered, title: 'Return' } as const;
const at = `${orderPath('{token}')}/returns/{return_number}`;

/** A return of the order of a link. */
export const returnPage = page({
  ...ofReturn,
  path: at,
  show: (ctx, sent) => withReturn(ctx, sent, (one, words) => shown(ctx, sent, words, one)),
});

/** Mail scanners open links: only the buttons of the page change something. */
const stepped = <F extends z.ZodObject>(
  name: string,
  form: F,
  work: (ctx: Ctx, one: returns.Return, words: ShopWords, form: z.output<F>) => Promise<unknown>,
) =>
  page({
    ...ofReturn,
    path: `${at}/${name}`,
    form: form as z.ZodObject,
    limit,
    show: (ctx, sent) => withReturn(ctx, sent, (one, words) => shown(ctx, sent, words, one)),
    submit: (ctx, { form: sentForm, ...sent }) =>
      withReturn(ctx, sent, async (one, words) => {
        await work(ctx, one, words, sentForm as z.output<F>);
        return goTo(pathOf(sent, one));
      }),
  });

/** A label that staff uploaded, as a file which nobody keeps on the way. */
export async function labelFile(ctx: Ctx, one: returns.Return): Promise<Shown> {
  return file('application/pdf', await returns.labelOf(ctx, one), {
    headers: {
      'Content-Disposition': `attachment; filename="${one.returnNumber}.pdf"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
    },
  });
}

const labelPage = page({
  ...ofReturn,
  path: `${at}/label.pdf`,
  limit: { show: limits.invoice },
  show: (ctx, sent) => withReturn(ctx, sent, (one) => labelFile(ctx, one)),
});

const photoPage = page({
  ...ofReturn,
  params: later(() => Numbered.extend({ photo: z.string().max(30) })),
  path: `${at}/photos/{photo}`,
  show: (ctx, sent) =>
    withReturn(ctx, sent, async (one) => photoFile(await returns.photoBytes(ctx, one, sent.params.photo))),
});

export const guestReturnPages = [
  labelPage,
  photoPage,
  newReturnPage,
  returnPage,
  stepped('cancel', NoForm, (ctx, one, words) => cancelFrom(ctx, one, words)),
  stepped('shipping', TrackingForm, trackFrom),
  stepped('messages', MessageForm, writeFrom),
];
