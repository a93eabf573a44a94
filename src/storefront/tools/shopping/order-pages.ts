import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { minPasswordLength } from '#platform/passwords/index.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { ownOrder, type Placed } from '#storefront/buying/checkout/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { offlineInstructions } from '#storefront/contract/payment-settings.ts';
import { type Order, openAccess, orderPath, settlement, whole } from '#storefront/orders/orders/index.ts';
import { confirm, OPEN_STATES, paymentsOf } from '#storefront/orders/payments/index.ts';
import { isToPay } from '#storefront/orders/shopper-orders/index.ts';
import { languageHead, secretPage, shopPage, wordsOf } from '../shop/index.ts';
import { FileForm, linkRefused, pathToFile } from './download-model.ts';
import { deliveredShown } from './license-model.ts';
import { addressShown, itemsShown } from './order-model.ts';
import { invoiceFile } from './order-page.ts';
import { orderSum } from './summary.ts';
import { frame, pageToPayOn, toPayment, waiting } from './to-payment.ts';

const lang = () => z.string().max(20).optional().catch(undefined);
const number = () => text({ min: 1, max: 40 });

const asked = (code: string | undefined): string =>
  code === undefined ? '' : `?lang=${encodeURIComponent(code)}`;

const SUCCESS = '/shop/checkout/success';
const successPath = (number: string): string => `${SUCCESS}/${encodeURIComponent(number)}`;

/** Where a shopper goes after paying: on to the processor, to wait, to try again, or to the end. */
export async function afterPayment(
  ctx: Ctx,
  visitor: Visitor,
  { order, payment }: Placed,
  code: string | undefined,
): Promise<Shown> {
  const name = encodeURIComponent(String(order.orderNumber));
  if (order.placedAt !== null) return goTo(successPath(String(order.orderNumber)) + asked(code));
  const url = payment && pageToPayOn(payment);
  if (url) return toPayment(ctx, visitor, code, url);
  if (payment && OPEN_STATES.includes(payment.status)) {
    const query = new URLSearchParams({
      order: String(order.orderNumber),
      ...(code !== undefined && { lang: code }),
    });
    return goTo(`/shop/checkout/return/${payment.processor}?${query}`);
  }
  return goTo(`/shop/checkout/failed/${name}${asked(code)}`);
}

async function openPayment(ctx: Ctx, order: Order) {
  return (await paymentsOf(ctx, order.id)).findLast(({ status }) => OPEN_STATES.includes(status)) ?? null;
}

/** Where shoppers come back to from a processor. What the address says decides nothing: the processor is asked. */
export const returnPage = page({
  ...shopPage,
  path: '/shop/checkout/return/{processor}',
  title: 'Payment',
  params: z.object({ processor: text({ min: 1, max: 30 }) }),
  query: later(() =>
    z.object({
      lang: lang(),
      order: number(),
      cancelled: z.string().max(1).optional().catch(undefined),
    }),
  ),
  async show(ctx, { params, query, visitor }) {
    const order = await ownOrder(ctx, carts.ownerOf(visitor), query.order);
    const open = await openPayment(ctx, order);
    const found = open ? await confirm(ctx, order.id, open.id) : { order, payment: null };
    const { payment } = found;
    if (found.order.placedAt !== null || payment === null || !OPEN_STATES.includes(payment.status))
      return afterPayment(ctx, visitor, { ...found, isReplay: true }, query.lang);
    const words = await wordsOf(ctx, visitor, query.lang);
    const path = `/shop/checkout/return/${params.processor}`;
    const again = query.cancelled === undefined;
    const other = `/shop/checkout${asked(query.lang)}#payment`;
    return waiting(words, payment, { number: order.orderNumber, other, lang: query.lang, again }, (title) =>
      frame(ctx, words, path, title),
    );
  },
});

/** Why a payment failed, and what can be done. The cart is as it was. */
export const failedPage = page({
  ...shopPage,
  path: '/shop/checkout/failed/{order_number}',
  title: 'Payment failed',
  params: z.object({ order_number: number() }),
  query: later(() => z.object({ lang: lang() })),
  async show(ctx, { params, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const order = await ownOrder(ctx, carts.ownerOf(visitor), params.order_number);
    if (order.placedAt !== null) return goTo(successPath(params.order_number) + asked(query.lang));
    const path = `/shop/checkout/failed/${params.order_number}`;
    // The processor took another amount than was asked for: staff look at it.
    const isTaken = (await paymentsOf(ctx, order.id)).some(({ status }) => status === 'captured');
    const title = words.t(isTaken ? 'checkout.checking' : 'checkout.failed');
    const data = { ...frame(ctx, words, path, title), isTaken, query: asked(query.lang) };
    return show('shop/payment-failed', data, { head: languageHead(query.lang) });
  },
});

/** How an order is paid whose money is on its way. */
const ON_THE_WAY: readonly Order['paymentStatus'][] = ['pending', 'authorized'];

async function thanks(
  ctx: Ctx,
  order: Order,
  visitor: Visitor,
  code: string | undefined,
  wrong: string | null = null,
): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, code);
  const { items, shipping } = await whole(ctx, order);
  const isOpen = isToPay(order) && !ON_THE_WAY.includes(order.paymentStatus);
  const data = {
    ...frame(ctx, words, successPath(String(order.orderNumber)), words.t('checkout.thanks')),
    order,
    items: itemsShown(ctx, items, order, words),
    shipping: addressShown(shipping, words),
    sum: orderSum(order, words),
    instructions: isOpen ? ctx.settings.get(offlineInstructions) : null,
    isOpen,
    due: words.money(settlement(order), order.currency),
    path: successPath(String(order.orderNumber)),
    query: asked(code),
    ...(await deliveredShown(ctx, order, visitor, words)),
    wrong,
    // A guest may make an account of it in one step.
    fewest: visitor.customer ? null : ctx.settings.get(minPasswordLength),
  };
  return show('shop/thank-you', data, { status: wrong === null ? 200 : 400, head: languageHead(code) });
}

/** What was ordered, with the keys of its licenses, for the browser that ordered it. */
export const successPage = page({
  ...secretPage,
  path: `${SUCCESS}/{order_number}`,
  title: 'Thank you',
  params: z.object({ order_number: number() }),
  query: later(() => z.object({ lang: lang() })),
  async show(ctx, { params, query, visitor }) {
    const order = await ownOrder(ctx, carts.ownerOf(visitor), params.order_number);
    if (order.placedAt === null)
      return goTo(`/shop/checkout/failed/${params.order_number}${asked(query.lang)}`);
    return thanks(ctx, order, visitor, query.lang);
  },
});

/** Leads the browser that ordered to the page of its order, which a link opens that works elsewhere, too. */
export const ownOrderPage = page({
  ...shopPage,
  path: `${SUCCESS}/{order_number}/order`,
  title: 'Order',
  params: z.object({ order_number: number() }),
  query: later(() => z.object({ lang: lang() })),
  form: z.object({}),
  show: async (_ctx, { params, query }) => goTo(successPath(params.order_number) + asked(query.lang)),
  async submit(ctx, { params, query, visitor }) {
    const order = await ownOrder(ctx, carts.ownerOf(visitor), params.order_number);
    if (order.placedAt === null) return goTo(successPath(params.order_number) + asked(query.lang));
    return goTo(orderPath(await openAccess(ctx, order)) + asked(query.lang));
  },
});

/** Leads the browser that ordered to a file of the order. */
export const ownDownloadPage = page({
  ...secretPage,
  path: `${SUCCESS}/{order_number}/download`,
  title: 'Download',
  params: z.object({ order_number: number() }),
  query: later(() => z.object({ lang: lang() })),
  form: FileForm,
  limit: { submit: [limits.orderDownloadLink] },
  show: async (_ctx, { params, query }) => goTo(successPath(params.order_number) + asked(query.lang)),
  async submit(ctx, { params, query, visitor, form }) {
    const order = await ownOrder(ctx, carts.ownerOf(visitor), params.order_number);
    try {
      return goTo(await pathToFile(ctx, order, form));
    } catch (error) {
      const words = await wordsOf(ctx, visitor, query.lang);
      return thanks(ctx, order, visitor, query.lang, linkRefused(words, error));
    }
  },
});

/** The invoice, for the browser that ordered. */
export const ownInvoicePage = page({
  ...shopPage,
  path: `${SUCCESS}/{order_number}/invoice.pdf`,
  title: 'Invoice',
  params: z.object({ order_number: number() }),
  query: later(() => z.object({ lang: lang() })),
  limit: { show: limits.invoice },
  show: async (ctx, { params, visitor }) =>
    invoiceFile(ctx, await ownOrder(ctx, carts.ownerOf(visitor), params.order_number)),
});
