import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { forShopper } from '#storefront/buying/pay-links/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { offlineInstructions } from '#storefront/contract/payment-settings.ts';
import { itemsOf, type Order, settlement } from '#storefront/orders/orders/index.ts';
import { activeProcessors } from '#storefront/orders/processors/index.ts';
import {
  cancelOwn,
  confirmAgain,
  listOrders,
  orderOf,
  shopperOrder,
} from '#storefront/orders/shopper-orders/index.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { wordsOf } from '../shop/index.ts';
import {
  deliveredShown,
  FileForm,
  invoiceFile,
  linkRefused,
  orderShown,
  pathToFile,
  refusedIn,
  returnsShown,
  standingShown,
} from '../shopping/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { ACCOUNT } from './nav.ts';
import { RETURNS } from './return-pages.ts';

export const ORDERS = `${ACCOUNT}/orders`;
const PER_PAGE = 20;

const ListQuery = later(() =>
  AccountQuery.extend({ page: z.coerce.number().int().min(1).max(100_000).catch(1) }),
);
const Params = z.object({ order_number: text({ min: 1, max: 40 }) });
const Query = AccountQuery.extend({ done: z.enum(['sent', 'reordered']).optional().catch(undefined) });

const asked = (lang: string | undefined, sign = '?'): string =>
  lang === undefined ? '' : `${sign}lang=${encodeURIComponent(lang)}`;
const pathOf = ({ orderNumber, id }: Order): string => `${ORDERS}/${encodeURIComponent(orderNumber ?? id)}`;

/** An order in a list. */
export const orderInList = (ctx: Ctx, order: Order, words: Parameters<typeof standingShown>[2]) => ({
  ...standingShown(ctx, order, words),
  href: pathOf(order),
  total: words.money(order.totalCents, order.currency),
});

/** The orders of a customer (shop-pages 2.6). */
const listPage = page({
  ...accountPage,
  path: ORDERS,
  title: 'Your orders',
  query: ListQuery,
  async show(ctx, { query, visitor }) {
    const { orders, total } = await listOrders(ctx, customerIdOf(ctx), {
      page: query.page,
      perPage: PER_PAGE,
    });
    const pages = Math.max(1, Math.ceil(total / PER_PAGE));
    const at = (number: number): string => `${ORDERS}?page=${number}${asked(query.lang, '&')}`;
    return shownAccount(ctx, visitor, {
      view: 'shop/account-orders',
      path: ORDERS,
      title: 'account.orders',
      lang: query.lang,
      data: (words) => ({
        orders: orders.map((order) => orderInList(ctx, order, words)),
        newer: query.page > 1 ? at(query.page - 1) : null,
        older: query.page < pages ? at(query.page + 1) : null,
      }),
    });
  },
});

interface Asked {
  readonly params: z.output<typeof Params>;
  readonly query: z.output<typeof Query>;
  readonly visitor: Visitor;
}

async function shown(
  ctx: Ctx,
  { query, visitor }: Asked,
  order: Order,
  wrong: string | null = null,
): Promise<Shown> {
  const model = await shopperOrder(ctx, order);
  const { canCancel, canPay, canReturn } = model.actions;
  return shownAccount(ctx, visitor, {
    view: 'shop/account-order',
    path: pathOf(order),
    title: 'account.order',
    lang: query.lang,
    status: wrong === null ? 200 : 400,
    data: async (words) => ({
      ...orderShown(ctx, model, words),
      title: words.t('order.title', { number: order.orderNumber }),
      path: pathOf(order),
      query: asked(query.lang),
      done: query.done ?? null,
      canCancel,
      canReturn,
      returns: await returnsShown(
        ctx,
        order,
        words,
        (number) => `${RETURNS}/${encodeURIComponent(number)}${asked(query.lang)}`,
      ),
      canPay: canPay && activeProcessors(ctx).some(({ kind }) => kind !== 'offline'),
      due: words.money(settlement(order), order.currency),
      instructions: canPay && order.processor === 'offline' ? ctx.settings.get(offlineInstructions) : null,
      ...(await deliveredShown(ctx, order, visitor, words)),
      wrong,
    }),
  });
}

const own = (ctx: Ctx, { params }: Pick<Asked, 'params'>): Promise<Order> =>
  orderOf(ctx, customerIdOf(ctx), params.order_number);

const base = { ...accountPage, title: 'Order', params: Params, query: Query } as const;
const action = {
  ...base,
  form: z.object({}),
  show: async (_ctx: Ctx, { params, query }: Asked) =>
    goTo(`${ORDERS}/${encodeURIComponent(params.order_number)}${asked(query.lang)}`),
} as const;

const onePage = page({
  ...base,
  path: `${ORDERS}/{order_number}`,
  show: async (ctx, asked) => shown(ctx, asked, await own(ctx, asked)),
});

/** Does something with an order; what is refused is said above it. */
async function acting(ctx: Ctx, sent: Asked, work: (order: Order) => Promise<string>): Promise<Shown> {
  const order = await own(ctx, sent);
  try {
    return goTo(await work(order));
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const words = await wordsOf(ctx, sent.visitor, sent.query.lang);
    const isLate = error.details.reason === 'INVALID_TRANSITION';
    return shown(ctx, sent, order, isLate ? words.t('order.cancel_late') : refusedIn(words, error).message);
  }
}

const cancelPage = page({
  ...action,
  path: `${ORDERS}/{order_number}/cancel`,
  submit: (ctx, sent) =>
    acting(ctx, sent, async (order) => {
      await cancelOwn(ctx, order);
      return pathOf(order) + asked(sent.query.lang);
    }),
});

const payPage = page({
  ...action,
  path: `${ORDERS}/{order_number}/pay`,
  limit: { submit: [limits.checkoutForm] },
  submit: (ctx, sent) =>
    acting(ctx, sent, async (order) => `/shop/pay/${await forShopper(ctx, order)}${asked(sent.query.lang)}`),
});

const againPage = page({
  ...action,
  path: `${ORDERS}/{order_number}/resend-confirmation`,
  limit: { submit: [limits.resendConfirmation] },
  submit: (ctx, sent) =>
    acting(ctx, sent, async (order) => {
      await confirmAgain(ctx, order);
      return `${pathOf(order)}?done=sent${asked(sent.query.lang, '&')}`;
    }),
});

/** Puts what can still be bought into the cart, and says what cannot. */
const reorderPage = page({
  ...action,
  path: `${ORDERS}/{order_number}/reorder`,
  limit: { submit: [limits.cartAdd] },
  async submit(ctx, sent) {
    const order = await own(ctx, sent);
    const words = await wordsOf(ctx, sent.visitor, sent.query.lang);
    const { missing } = await carts.putAgain(ctx, carts.ownerOf(sent.visitor), await itemsOf(ctx, order.id));
    if (missing.length === 0) return goTo(`/shop/cart${asked(sent.query.lang)}`);
    const goods = missing.map(({ quantity, title }) => `${quantity} × ${title}`).join(', ');
    return shown(ctx, sent, order, words.t('account.reorder_missing', { goods }));
  },
});

const downloadPage = page({
  ...action,
  form: FileForm,
  path: `${ORDERS}/{order_number}/download`,
  limit: { submit: [limits.downloadLink] },
  async submit(ctx, sent) {
    const order = await own(ctx, sent);
    try {
      return goTo(await pathToFile(ctx, order, sent.form));
    } catch (error) {
      const words = await wordsOf(ctx, sent.visitor, sent.query.lang);
      return shown(ctx, sent, order, linkRefused(words, error));
    }
  },
});

const invoicePage = page({
  ...base,
  path: `${ORDERS}/{order_number}/invoice.pdf`,
  limit: { show: limits.invoice },
  show: async (ctx, asked) => invoiceFile(ctx, await own(ctx, asked)),
});

/** The page of an order leads to it by its own path, as that of a link does. */
const returnPage = page({
  ...base,
  path: `${ORDERS}/{order_number}/return`,
  show: async (_ctx, { params, query }) =>
    goTo(`${RETURNS}/new/${encodeURIComponent(params.order_number)}${asked(query.lang)}`),
});

export const orderPages: readonly Page[] = [
  listPage,
  onePage,
  cancelPage,
  payPage,
  againPage,
  downloadPage,
  reorderPage,
  invoicePage,
  returnPage,
];
