/** What answers with a list of other things than its resource (storefront-api.md, S). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ProductMediaView, productMediaView } from './picture-view.ts';
import { arrangePictures, attachPictures, detachPicture } from './pictures.ts';
import type { Relation } from './record.ts';
import { listRelations, replaceRelations } from './relations.ts';
import { Arrangement, Attachment, Generation } from './schemas.ts';
import { generateVariants } from './variants.ts';
import { RelationView, VariantView, variantView } from './view.ts';
import { wordEndpoints } from './words/endpoints.store.ts';

const product = '/api/store/products/{id}';
const Params = z.object({ id: text({ min: 1, max: 255 }) });
const list = <S extends z.ZodType>(schema: S) => z.object({ data: z.array(schema) });

// Unknown fields of a body are ignored (Z2).
const GenerationBody = z
  .object({
    sku_pattern: Generation.shape.skuPattern,
    price_cents: Generation.shape.priceCents,
  })
  .meta({ id: 'VariantGenerationBody' });
const RelationsBody = later(() =>
  z
    .object({
      items: z
        .array(z.object({ ...RelationView.shape, product_id: text({ min: 1, max: 30 }) }), {
          error: ({ input }) => (input === undefined ? 'is required' : 'must be a list'),
        })
        .max(50),
    })
    .meta({ id: 'ProductRelationsBody' }),
);

const AttachmentBody = later(() =>
  z
    .object({ media_ids: Attachment.shape.mediaIds, variant_id: Attachment.shape.variantId })
    .meta({ id: 'ProductMediaAttachBody' }),
);
const Item = Arrangement.shape.items.element.shape;
const ArrangementBody = later(() =>
  z
    .object({
      items: z
        .array(
          z.object({
            media_id: Item.mediaId,
            position: Item.position,
            alt: Item.alt,
            variant_id: Item.variantId,
          }),
          { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list') },
        )
        .max(100),
    })
    .meta({ id: 'ProductMediaArrangeBody' }),
);

const shown = ({ relatedId, kind }: Relation) => ({ product_id: relatedId, kind });

export const shopProductEndpoints: readonly Endpoint[] = [
  ...wordEndpoints,
  endpoint({
    method: 'post',
    path: `${product}/variants/generate`,
    summary: 'Create a variant for each combination of option values that has none',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: Params,
    body: GenerationBody,
    bodyOptional: true,
    replies: { 200: list(VariantView) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) => {
      const { sku_pattern: skuPattern, price_cents: priceCents } = body ?? {};
      const made = await generateVariants(ctx, params.id, { skuPattern, priceCents });
      return ok({ data: made.map(variantView) });
    },
  }),
  endpoint({
    method: 'get',
    path: `${product}/related`,
    summary: 'List the related products of a product',
    scope: 'products:read',
    limit: null,
    params: Params,
    replies: { 200: list(RelationView) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => ok({ data: (await listRelations(ctx, params.id)).map(shown) }),
  }),
  endpoint({
    method: 'put',
    path: `${product}/related`,
    summary: 'Replace the related products of a product',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: Params,
    body: RelationsBody,
    replies: { 200: list(RelationView) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) => {
      const items = body.items.map(({ product_id: productId, kind }) => ({ productId, kind }));
      return ok({ data: (await replaceRelations(ctx, params.id, { items })).map(shown) });
    },
  }),
  endpoint({
    method: 'post',
    path: `${product}/media`,
    summary: 'Add pictures of the library to a product',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: Params,
    body: AttachmentBody,
    replies: { 200: list(ProductMediaView) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body: { media_ids: mediaIds, variant_id: variantId } }) => {
      const pictures = await attachPictures(ctx, params.id, { mediaIds, variantId });
      return ok({ data: pictures.map(productMediaView) });
    },
  }),
  endpoint({
    method: 'patch',
    path: `${product}/media`,
    summary: "Change the order, descriptions and variants of a product's pictures",
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: Params,
    body: ArrangementBody,
    replies: { 200: list(ProductMediaView) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) => {
      const items = body.items.map(({ media_id: mediaId, variant_id: variantId, position, alt }) => ({
        mediaId,
        variantId,
        position,
        alt,
      }));
      return ok({ data: (await arrangePictures(ctx, params.id, { items })).map(productMediaView) });
    },
  }),
  endpoint({
    method: 'delete',
    path: `${product}/media/{mediaId}`,
    summary: 'Remove a picture from a product; it stays in the library',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: z.object({ ...Params.shape, mediaId: text({ min: 1, max: 255 }) }),
    replies: { 200: z.object({ data: z.object({ deleted: z.literal(true) }) }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      await detachPicture(ctx, params.id, params.mediaId);
      return ok({ data: { deleted: true } });
    },
  }),
];
