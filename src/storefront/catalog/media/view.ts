import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { MEDIA_STATUSES, MEDIA_TYPES, type Media } from '#platform/media/index.ts';
import { PictureShown, pictureOf } from '#storefront/contract/picture.ts';

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
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'Media' });

export const mediaView = (media: Media): z.output<typeof MediaView> => ({
  id: media.id,
  file_name: media.fileName,
  mime: media.mime,
  bytes: media.bytes,
  ...pictureOf(media),
  folder: media.folder,
  status: media.status,
  failure: media.failure,
  created_at: media.createdAt,
  updated_at: media.updatedAt,
});
