/** Licenses of one order and of one customer, for staff (storefront-api.md, V and X). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, queryInteger, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { find as findCustomer, missingCustomer } from '#storefront/people/customers/index.ts';
import { missingOf } from '../minting/index.ts';
import { againOfOrder } from './changes.ts';
import { mintRows } from './queries.ts';
import { LicenseMintView, mintViews } from './view.ts';

const Params = z.object({ id: text({ min: 1, max: 255 }) });
/** An order has at most so many units. */
const MOST_OF_ORDER = 10_000;

const MissingView = later(() =>
  z
    .object({
      order_item_id: z.string(),
      title: z.string(),
      units: count(),
      error: z.string().nullable().describe('null while the order is not paid, or before the first try'),
    })
    .meta({ id: 'MissingLicenses' }),
);

const Answer = () => ({
  200: z.object({
    data: z.array(LicenseMintView),
    missing: z.array(MissingView).describe('Licenses that the order still lacks, and why'),
  }),
});

async function ofOrder(ctx: Ctx, orderId: string) {
  const { items } = await mintRows.page(ctx, {
    filters: { orderId: [orderId] },
    sort: 'created',
    offset: 0,
    limit: MOST_OF_ORDER,
  });
  const { cancelledAt } = await orders.get(ctx, orderId);
  const missing = cancelledAt === null ? await missingOf(ctx, orderId) : [];
  return {
    data: await mintViews(items, ctx),
    missing: missing.map(({ item, units, error }) => ({
      order_item_id: item.id,
      title: item.title,
      units,
      error,
    })),
  };
}

export const orderLicenseEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/store/orders/{id}/licenses',
    summary: 'List the licenses of an order, and those that are missing',
    scope: 'orders:read',
    limit: null,
    params: Params,
    replies: Answer,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => ok(await ofOrder(ctx, (await orders.get(ctx, params.id)).id)),
  }),
  endpoint({
    method: 'post',
    path: '/api/store/orders/{id}/licenses/mint',
    summary: 'Create the missing licenses of an order, and retry failed changes',
    scope: 'orders:write',
    limit: null,
    rehearsable: true,
    params: Params,
    replies: Answer,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params }) {
      const { id } = await orders.get(ctx, params.id);
      return ctx.tx(async (ctx) => {
        await againOfOrder(ctx, id);
        return ok(await ofOrder(ctx, id));
      });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/store/customers/{id}/licenses',
    summary: 'List the licenses that a customer has bought, newest first',
    scope: 'customers:read',
    limit: null,
    params: Params,
    query: () =>
      z.object({
        page: queryInteger({ min: 1, max: 1_000_000, fallback: 1 }),
        per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
      }),
    replies: () => ({ 200: z.object({ data: z.array(LicenseMintView), pagination: ShopPagination }) }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params, query: { page, per_page: perPage } }) {
      const { id } = (await findCustomer(ctx, params.id)) ?? missingCustomer(params.id);
      const { items, total } = await mintRows.page(ctx, {
        filters: { customerId: [id] },
        offset: (page - 1) * perPage,
        limit: perPage,
      });
      return ok({ data: await mintViews(items, ctx), pagination: shopPagination(page, perPage, total) });
    },
  }),
];
