import { z } from 'zod';
import { page } from '#kernel/http/page.ts';
import { limits } from '#storefront/contract/limits.ts';
import { readUnsubscribe, unsubscribe } from '#storefront/people/privacy/index.ts';
import { secretPage } from '../shop/index.ts';
import { AccountQuery, shownAt } from './frame.ts';

const Params = z.object({ token: z.string().max(200) });

/**
 * The link of emails about offers: a mail scanner that opens it changes nothing, the button does, and so does the one press
 * of a mail program, which has no cookie and no page of ours (shop-pages 2.7; RFC 8058).
 */
export const unsubscribePage = page({
  ...secretPage,
  path: '/shop/unsubscribe/{token}',
  title: 'Unsubscribe',
  params: Params,
  query: AccountQuery,
  form: z.object({}),
  isProvenByAddress: true,
  limit: { submit: [limits.unsubscribe] },
  show: (ctx, { params: { token }, query: { lang }, visitor }) => {
    const isKnown = readUnsubscribe(ctx, token) !== null;
    return shownAt(ctx, visitor, {
      view: 'shop/unsubscribe',
      path: '/shop/unsubscribe',
      title: 'unsubscribe.title',
      lang,
      status: isKnown ? 200 : 404,
      head: { headers: { 'Referrer-Policy': 'no-referrer' } },
      data: () => ({ state: isKnown ? 'ask' : 'unknown' }),
    });
  },
  async submit(ctx, { params: { token }, query: { lang }, visitor }) {
    const isKnown = readUnsubscribe(ctx, token) !== null;
    if (isKnown) await unsubscribe(ctx, token);
    return shownAt(ctx, visitor, {
      view: 'shop/unsubscribe',
      path: '/shop/unsubscribe',
      title: 'unsubscribe.title',
      lang,
      status: isKnown ? 200 : 404,
      head: { headers: { 'Referrer-Policy': 'no-referrer' } },
      data: () => ({ state: isKnown ? 'done' : 'unknown' }),
    });
  },
});
