import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import type { Placed } from '#storefront/buying/checkout/index.ts';
import * as links from '#storefront/buying/pay-links/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { offlineInstructions } from '#storefront/contract/payment-settings.ts';
import { type Order, settlement, whole } from '#storefront/orders/orders/index.ts';
import { confirm, OPEN_STATES, paymentsOf } from '#storefront/orders/payments/index.ts';
import { languageHead, type ShopWords, secretPage, wordsOf } from '../shop/index.ts';
import { processorsShown } from './checkout-page.ts';
import { refusedIn } from './refusals.ts';
import { orderSum } from './summary.ts';
import { pageToPayOn, frame as paymentFrame, toPayment, waiting } from './to-payment.ts';

const MOST = 1000;
const params = z.object({ token: text({ min: 1, max: 100 }) });
const Query = later(() =>
  z.object({
    lang: z.string().max(20).optional().catch(undefined),
    cancelled: z.string().max(1).optional().catch(undefined),
  }),
);
const field = () => text({ max: MOST }).default('');

interface Asked {
  readonly params: { readonly token: string };
  readonly query: z.output<typeof Query>;
  readonly visitor: Visitor;
}

const pathOf = ({ params: { token }, query: { lang } }: Pick<Asked, 'params' | 'query'>, rest = ''): string =>
  `/shop/pay/${encodeURIComponent(token)}${rest}${lang === undefined ? '' : `?lang=${encodeURIComponent(lang)}`}`;

const frame = (ctx: Ctx, words: ShopWords, title: string) => paymentFrame(ctx, words, '/shop/pay', title);

/** The order of the link; null for a link that has ended. */
async function orderOf(ctx: Ctx, token: string): Promise<Order | null> {
  try {
    return await links.look(ctx, token);
  } catch (error) {
    if (error instanceof AppError && error.details.reason === 'TOKEN_INVALID') return null;
    throw error;
  }
}

function invalid(ctx: Ctx, words: ShopWords, lang: string | undefined): Shown {
  const data = frame(ctx, words, words.t('pay.invalid_title'));
  return show('shop/pay-invalid', data, { status: 404, head: languageHead(lang) });
}

function stateOf(order: Order): 'open' | 'ended' | 'paid' | 'nothing' {
  if (order.status === 'cancelled') return 'ended';
  if (settlement(order) > 0 && order.refundedCents === 0) return 'open';
  return order.paidAt === null ? 'nothing' : 'paid';
}

async function shown(ctx: Ctx, asked: Asked, refused?: AppError, chosen?: string): Promise<Shown> {
  const { lang } = asked.query;
  const words = await wordsOf(ctx, asked.visitor, lang);
  const order = await orderOf(ctx, asked.params.token);
  if (!order) return invalid(ctx, words, lang);
  const { items } = await whole(ctx, order);
  const { money } = words;
  const isAwaited = order.placedAt !== null && order.processor === 'offline';
  const processors = processorsShown(ctx, words, chosen);
  const paysHere = processors.some(({ isOffline }) => !isOffline);
  const data = {
    ...frame(ctx, words, words.t('pay.title', { number: order.orderNumber })),
    action: pathOf(asked),
    state: stateOf(order),
    due: money(settlement(order), order.currency),
    expected: order.totalCents,
    isAwaited,
    // A transfer is made elsewhere: a button would pay nothing.
    isOffered: paysHere || (processors.length > 0 && !isAwaited),
    paysHere,
    instructions: ctx.settings.get(offlineInstructions),
    processors,
    items: items.map(({ title, variantTitle, quantity, subtotalCents }) => ({
      title: variantTitle === null ? title : `${title} (${variantTitle})`,
      quantity,
      total: money(subtotalCents, order.currency),
    })),
    sum: orderSum(order, words),
  };
  return { ...show('shop/pay', data, { head: languageHead(lang) }), ...(refused && { refused }) };
}

/** Where somebody goes on who paid: to the processor, to wait, or back to what is due. */
async function after(ctx: Ctx, { order, payment }: Placed, asked: Asked, words: ShopWords): Promise<Shown> {
  const url = payment && pageToPayOn(payment);
  if (url) return toPayment(ctx, asked.visitor, asked.query.lang, url);
  if (payment && OPEN_STATES.includes(payment.status)) return goTo(pathOf(asked, '/return'));
  if (payment?.status === 'failed' && settlement(order) > 0) throw refuseForm(words.t('pay.declined'), {});
  return goTo(pathOf(asked));
}

/** Where an order is paid with the link that was mailed (shop-pages 2.3): it is shown, and its form pays. */
export const payPage = page({
  ...secretPage,
  path: '/shop/pay/{token}',
  title: 'Pay',
  params,
  query: Query,
  form: later(() => z.object({ processor: field(), source: field(), expected: field() })),
  limit: { submit: [limits.checkout] },
  show: (ctx, asked) => shown(ctx, asked),
  async submit(ctx, { form, ...asked }) {
    const words = await wordsOf(ctx, asked.visitor, asked.query.lang);
    if (!(await orderOf(ctx, asked.params.token))) return invalid(ctx, words, asked.query.lang);
    try {
      const expected = /^\d{1,12}$/.test(form.expected) ? Number(form.expected) : undefined;
      const input = {
        processor: form.processor,
        sourceId: form.source || null,
        expectedTotalCents: expected,
      };
      return await after(ctx, await links.pay(ctx, asked.params.token, input), asked, words);
    } catch (error) {
      return shown(ctx, asked, refusalOf(words, error), form.processor);
    }
  },
});

function refusalOf(words: ShopWords, error: unknown): AppError {
  if (error instanceof AppError && error.details.reason === 'TOTAL_CHANGED')
    return refuseForm(words.t('pay.changed'), {});
  return error instanceof AppError && error.status === 400 && 'fields' in error.details
    ? error
    : refusedIn(words, error, 'processor');
}

/** Where somebody comes back to from the page of a processor: it is asked what became of the payment. */
export const payReturnPage = page({
  ...secretPage,
  path: '/shop/pay/{token}/return',
  title: 'Payment',
  params,
  query: Query,
  async show(ctx, asked) {
    const { lang, cancelled } = asked.query;
    const words = await wordsOf(ctx, asked.visitor, lang);
    const order = await orderOf(ctx, asked.params.token);
    if (!order) return invalid(ctx, words, lang);
    const open = (await paymentsOf(ctx, order.id)).findLast(({ status }) => OPEN_STATES.includes(status));
    const payment = open && (await confirm(ctx, order.id, open.id)).payment;
    if (!payment || !OPEN_STATES.includes(payment.status))
      return payment?.status === 'failed'
        ? shown(ctx, asked, refuseForm(words.t('pay.declined'), {}))
        : goTo(pathOf(asked));
    const again = cancelled === undefined;
    return waiting(
      words,
      payment,
      { number: order.orderNumber, other: pathOf(asked), lang, again },
      (title) => frame(ctx, words, title),
    );
  },
});
