/** Photos that customers send (storefront-api.md, C). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { created, download, type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { oneOf, text } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { customerIdOf } from '../customers/index.ts';
import { MOST_PHOTO_BYTES, PHOTO_SIZES, photoOf, storePhoto } from './photos.ts';
import { PHOTO_PURPOSES, type PhotoPurpose } from './record.ts';

const PREFIX = '/api/shop/uploads';
const Params = z.object({ id: text({ min: 1, max: 30 }), size: oneOf(PHOTO_SIZES) });

const UploadedView = z
  .object({ media_id: z.string(), thumbnail_url: z.string() })
  .meta({ id: 'UploadedPhoto' });

function purposeIn(sent: string | undefined): PhotoPurpose {
  const found = PHOTO_PURPOSES.find((one) => one === sent);
  if (found) return found;
  throw invalidField('purpose', `must be one of ${PHOTO_PURPOSES.join(', ')}`);
}

/** Where a photo is shown to its owner. */
export const photoPath = (id: string, size: (typeof PHOTO_SIZES)[number]): string =>
  `${PREFIX}/${id}/${size}`;

/** An operation that takes a photo. @param purpose when the address says it; else the form, or the query */
export const photoUpload = (path: string, summary: string, fixed?: PhotoPurpose): Endpoint =>
  endpoint({
    customer: true,
    method: 'post',
    path,
    summary,
    description:
      'JPEG, PNG or WebP of at most 10 MB, as the only file of a form or as the body. Location data is removed. Only the customer and the shop can see it.',
    scope: null,
    limit: limits.customerUpload,
    query: later(() => z.object({ purpose: oneOf(PHOTO_PURPOSES).optional() })),
    upload: { maxBytes: () => MOST_PHOTO_BYTES, fields: 1 },
    replies: { 201: z.object({ data: UploadedView }) },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx: Ctx, { query, raw: file }) {
      const { id } = await storePhoto(ctx, {
        customerId: customerIdOf(ctx),
        source: file.stream,
        purpose: () => fixed ?? query.purpose ?? purposeIn(file.fields?.get('purpose')),
      });
      return created({ data: { media_id: id, thumbnail_url: photoPath(id, 'thumbnail') } });
    },
  });

export const photoEndpoints: readonly Endpoint[] = [
  photoUpload(PREFIX, 'Upload a photo for a return or a review'),
  endpoint({
    customer: true,
    method: 'get',
    path: `${PREFIX}/{id}/{size}`,
    summary: 'Download a photo that the customer uploaded',
    scope: null,
    limit: null,
    params: Params,
    content: { type: 'image/webp', headers: {} },
    replies: {},
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params: { id, size } }) =>
      download(await photoOf(ctx, id, size, { customerId: customerIdOf(ctx) })),
  }),
  endpoint({
    method: 'get',
    path: '/api/store/uploads/{id}/{size}',
    summary: 'Download a photo that a customer uploaded',
    scope: 'orders:read',
    limit: null,
    params: Params,
    content: { type: 'image/webp', headers: {} },
    replies: {},
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params: { id, size } }) => download(await photoOf(ctx, id, size, 'staff')),
  }),
];
