import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { MEDIA_STATUSES, MEDIA_TYPES, type Media } from '#platform/media/index.ts';
import { PictureShown, pictureOf } from '#storefront/contract/picture.ts';
import { type Usage, usagesOf } from '../products/index.ts';

/** A picture of the library, for staff. */
export const MediaView = z
  .object({
    id: z.string(),
    file_name: z.string(),
    mime: z.enum(MEDIA_TYPES),
    bytes: count(),
    ...PictureShown,
    folder: z.string().nullable(),
    status: z.enum(MEDIA_STATUSES),
    failure: z.string().nullable(),
    /** Where it is shown. */
    usages: z.array(z.object({ product_id: z.string(), slug: z.string(), title: z.string() })),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'Media' });

/** One question for all of them tells where they are shown. */
export async function mediaViews(rows: readonly Media[], ctx: Ctx): Promise<z.output<typeof MediaView>[]> {
  const usages = Map.groupBy(
    await usagesOf(
      ctx,
      rows.map(({ id }) => id),
    ),
    ({ mediaId }) => mediaId,
  );
  return rows.map((media) => mediaView(media, usages.get(media.id) ?? []));
}

const mediaView = (media: Media, usages: readonly Usage[]): z.output<typeof MediaView> => ({
  id: media.id,
  file_name: media.fileName,
  mime: media.mime,
  bytes: media.bytes,
  ...pictureOf(media),
  folder: media.folder,
  status: media.status,
  failure: media.failure,
  usages: usages.map(({ productId, slug, title }) => ({ product_id: productId, slug, title })),
  created_at: media.createdAt,
  updated_at: media.updatedAt,
});
