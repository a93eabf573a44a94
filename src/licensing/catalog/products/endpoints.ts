import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { ListQuery } from '#kernel/service/pagination.ts';
import { limits } from '#licensing/contract/limits.ts';
import { listPublic } from './products.ts';
import { ProductsReply } from './schemas.ts';

export const productEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/products',
    summary: 'List the products on sale',
    scope: 'PRODUCTS',
    limit: limits.read_extra,
    query: ListQuery,
    replies: { 200: ProductsReply },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => {
      const { items, pagination } = await listPublic(ctx, query);
      return ok({ products: items, pagination });
    },
  }),
];
