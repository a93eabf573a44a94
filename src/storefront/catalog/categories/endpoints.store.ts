/** The products of a category, for staff (storefront-api.md, T). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { PlacedProducts } from '../products/index.ts';
import { listProducts, replaceProducts } from './links.ts';

const path = '/api/store/categories/{id}/products';
const Params = z.object({ id: text({ min: 1, max: 255 }) });
// Unknown fields of a body are ignored (Z2).
const Body = later(() =>
  z.object({ product_ids: PlacedProducts.shape.productIds }).meta({ id: 'CategoryProductsBody' }),
);

export const categoryEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path,
    summary: 'List the products of a category, in its order',
    scope: 'products:read',
    limit: null,
    params: Params,
    replies: { 200: later(() => z.object({ data: z.object({ product_ids: z.array(z.string()) }) })) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => ok({ data: { product_ids: await listProducts(ctx, params.id) } }),
  }),
  endpoint({
    method: 'put',
    path,
    summary: 'Set the products of a category and their order',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: Params,
    body: Body,
    replies: { 200: z.object({ data: z.object({ count: count() }) }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) =>
      ok({ data: { count: await replaceProducts(ctx, params.id, { productIds: body.product_ids }) } }),
  }),
];
