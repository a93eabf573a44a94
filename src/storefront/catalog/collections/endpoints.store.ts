/** The products of a collection, and what its rules would match, for staff (storefront-api.md, T). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { PlacedProducts, shopProductRows } from '../products/index.ts';
import { listProducts, preview, replaceProducts } from './collections.ts';
import { Trial } from './schemas.ts';

const path = '/api/store/collections/{id}';
const Params = z.object({ id: text({ min: 1, max: 255 }) });
/** Products that a preview shows. */
const MOST_SHOWN = 100;

// Unknown fields of a body are ignored (Z2).
const ProductsBody = later(() =>
  z.object({ product_ids: PlacedProducts.shape.productIds }).meta({ id: 'CollectionProductsBody' }),
);
const PreviewBody = later(() =>
  z.object({ rules: Trial.shape.rules, match: Trial.shape.match }).meta({ id: 'CollectionPreviewBody' }),
);
const Matched = later(() =>
  z
    .object({ id: z.string(), slug: z.string(), title: z.string(), status: z.string() })
    .meta({ id: 'MatchedProduct' }),
);

export const collectionEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: `${path}/products`,
    summary: 'List the products of a collection, in its order',
    scope: 'products:read',
    limit: null,
    params: Params,
    replies: { 200: later(() => z.object({ data: z.object({ product_ids: z.array(z.string()) }) })) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => ok({ data: { product_ids: await listProducts(ctx, params.id) } }),
  }),
  endpoint({
    method: 'put',
    path: `${path}/products`,
    summary: 'Set the products of a collection that is filled by hand, and their order',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: Params,
    body: ProductsBody,
    replies: { 200: z.object({ data: z.object({ count: count() }) }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) =>
      ok({ data: { count: await replaceProducts(ctx, params.id, { productIds: body.product_ids }) } }),
  }),
  endpoint({
    method: 'post',
    path: `${path}/preview`,
    summary: 'Preview the products that rules would match; nothing changes',
    scope: 'products:read',
    limit: null,
    params: Params,
    body: PreviewBody,
    bodyOptional: true,
    replies: { 200: z.object({ data: z.array(Matched), total: count() }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) => {
      const found = await preview(ctx, params.id, body ?? {});
      const rows = await shopProductRows.of(ctx, found.slice(0, MOST_SHOWN));
      return ok({
        data: rows.map(({ id, slug, title, status }) => ({ id, slug, title, status })),
        total: found.length,
      });
    },
  }),
];
