/** Words that products are grouped by: tags and brands in use (storefront-api.md, T). */
import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, optional, text } from '#kernel/http/fields.ts';
import { BrandRename, renameBrand } from './brands.ts';
import { listBrands, listTags } from './queries.ts';

const query = z.object({ q: optional(text({ max: 100 })) });
const list = <S extends z.ZodType>(schema: S) => z.object({ data: z.array(schema) });

// Unknown fields of a body are ignored (Z2).
const RenameBody = z.object(BrandRename.shape).meta({ id: 'BrandRenameBody' });

export const wordEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/store/tags',
    summary: 'List the tags in use, most frequent first',
    scope: 'products:read',
    limit: null,
    query,
    replies: { 200: list(z.object({ tag: z.string(), count: count() })) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => ok({ data: await listTags(ctx, query.q ?? '') }),
  }),
  endpoint({
    method: 'get',
    path: '/api/store/brands',
    summary: 'List the brands in use, most frequent first',
    scope: 'products:read',
    limit: null,
    query,
    replies: { 200: list(z.object({ brand: z.string(), count: count() })) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => ok({ data: await listBrands(ctx, query.q ?? '') }),
  }),
  endpoint({
    method: 'post',
    path: '/api/store/brands/rename',
    summary: 'Rename a brand in all its products; an existing name merges both brands',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    body: RenameBody,
    replies: { 200: z.object({ data: z.object({ updated: count() }) }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { body }) => ok({ data: { updated: await renameBrand(ctx, body) } }),
  }),
];
