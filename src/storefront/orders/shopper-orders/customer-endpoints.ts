/** Orders of customers who signed in (storefront-api.md, G). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { bytesContent } from '#kernel/http/content.ts';
import { download, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf, optional, queryInteger, text } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { startOfDay } from '#storefront/contract/local-day.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import { timezone } from '#storefront/contract/settings.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { invoiceDocument } from '../documents/index.ts';
import { ORDER_STATUSES, type Order, parcelsOf } from '../orders/index.ts';
import { OrderSummaryView, orderSummaryView, ParcelView, parcelView } from '../orders/view.ts';
import { confirmAgain, orderOf } from './customer-orders.ts';
import { listOrders } from './queries.ts';
import { cancelOwn, shopperOrder } from './shopper-orders.ts';
import { ShopperOrderView, shopperOrderView } from './view.ts';

const PREFIX = '/api/shop/orders';
const ONE = `${PREFIX}/{order_number}`;
const DAY_MS = 86_400_000;

const Params = z.object({ order_number: text({ min: 1, max: 40 }) });
const Query = later(() =>
  z.object({
    page: queryInteger({ min: 1, max: 1_000_000, fallback: 1 }),
    per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
    status: optional(oneOf(ORDER_STATUSES)),
    from: optional(text({ min: 1, max: 30 })),
    to: optional(text({ min: 1, max: 30 })),
  }),
);

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * The moment that a bound names: a time, or a day of the shop's time zone, which counts as a whole.
 *
 * @throws AppError VALIDATION_ERROR
 */
export function boundOf(ctx: Ctx, name: 'from' | 'to', sent: string | undefined): string | undefined {
  if (sent === undefined || sent === '') return undefined;
  const zone = ctx.settings.get(timezone);
  const start = startOfDay(sent, zone);
  if (start !== null) {
    if (name === 'from') return start;
    const next = new Date(Date.parse(`${sent}T00:00:00.000Z`) + DAY_MS).toISOString().slice(0, 10);
    return startOfDay(next, zone) ?? undefined;
  }
  if (INSTANT.test(sent) && !Number.isNaN(Date.parse(sent))) return new Date(Date.parse(sent)).toISOString();
  throw invalidField(name, 'must be a day such as 2030-05-06, or a time such as 2030-05-06T10:00:00Z');
}

const ownOrder = (ctx: Ctx, { order_number: number }: z.output<typeof Params>): Promise<Order> =>
  orderOf(ctx, customerIdOf(ctx), number);

const own = { customer: true, scope: null, limit: null, params: Params, errors: ['NOT_FOUND'] } as const;

const list = endpoint({
  customer: true,
  method: 'get',
  path: PREFIX,
  summary: 'List the orders of the customer, newest first',
  description:
    "`from` and `to` are days in the shop's time zone, both inclusive, or times, where `to` is exclusive.",
  scope: null,
  limit: null,
  query: Query,
  replies: { 200: z.object({ data: z.array(OrderSummaryView), pagination: ShopPagination }) },
  errors: ['VALIDATION_ERROR'],
  async handle(ctx, { query: { page, per_page: perPage, status, from, to } }) {
    const asked = { page, perPage, status, from: boundOf(ctx, 'from', from), to: boundOf(ctx, 'to', to) };
    const { orders, total } = await listOrders(ctx, customerIdOf(ctx), asked);
    return ok({ data: orders.map(orderSummaryView), pagination: shopPagination(page, perPage, total) });
  },
});

const reading: readonly Endpoint[] = [
  endpoint({
    ...own,
    method: 'get',
    path: ONE,
    summary: 'Show an order of the customer',
    replies: { 200: z.object({ data: ShopperOrderView }) },
    handle: async (ctx, { params }) =>
      ok({ data: shopperOrderView(await shopperOrder(ctx, await ownOrder(ctx, params))) }),
  }),
  endpoint({
    ...own,
    method: 'get',
    path: `${ONE}/invoice.pdf`,
    summary: 'Download the invoice of an order of the customer',
    limit: limits.invoice,
    content: { type: 'application/pdf', headers: { 'Content-Disposition': 'The name of the file' } },
    replies: {},
    async handle(ctx, { params }) {
      const { id } = await ownOrder(ctx, params);
      const { fileName, bytes } = await invoiceDocument(ctx, id);
      const headers = {
        'Cache-Control': 'no-store',
        'Content-Disposition': `attachment; filename="${fileName}"`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
      };
      return download(bytesContent('application/pdf', bytes, { etag: `"${id}"`, headers }));
    },
  }),
  endpoint({
    ...own,
    method: 'get',
    path: `${ONE}/shipments`,
    summary: 'List the shipments of an order of the customer, with tracking',
    replies: { 200: z.object({ data: z.array(ParcelView) }) },
    handle: async (ctx, { params }) =>
      ok({ data: (await parcelsOf(ctx, await ownOrder(ctx, params))).map(parcelView) }),
  }),
];

const acting: readonly Endpoint[] = [
  endpoint({
    ...own,
    method: 'post',
    path: `${ONE}/cancel`,
    summary: 'Cancel an order of the customer and refund it',
    description:
      'Possible while the order awaits payment, or for `customer_cancel_minutes` after it was placed, until packing starts.',
    bodyOptional: true,
    body: later(() =>
      z.object({ reason: optional(text({ max: 500, trim: true })) }).meta({ id: 'CancelOwnOrder' }),
    ),
    replies: { 200: z.object({ data: ShopperOrderView }) },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    async handle(ctx, { params, body }) {
      const order = await cancelOwn(ctx, await ownOrder(ctx, params), body?.reason || undefined);
      return ok({ data: shopperOrderView(await shopperOrder(ctx, order)) });
    },
  }),
  endpoint({
    ...own,
    method: 'post',
    path: `${ONE}/resend-confirmation`,
    summary: "Resend the order confirmation to the order's email address",
    limit: limits.resendConfirmation,
    replies: { 200: z.object({ data: z.object({ sent: z.literal(true) }) }) },
    async handle(ctx, { params }) {
      await confirmAgain(ctx, await ownOrder(ctx, params));
      return ok({ data: { sent: true as const } });
    },
  }),
];

export const customerOrderEndpoints: readonly Endpoint[] = [list, ...reading, ...acting];
