import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { MEDIA_STATUSES, MEDIA_TYPES, type Media } from '#platform/media/index.ts';
import { PictureShown, pictureOf } from '#storefront/contract/picture.ts';
import { USE_KINDS, type Use, usesOf } from './uses.ts';

/** A picture of the library, for staff. */
export const MediaView = later(() =>
  z
    .object({
      id: z.string(),
      file_name: z.string(),
      mime: z.enum(MEDIA_TYPES),
      bytes: count(),
      ...PictureShown,
      folder: z.string().nullable(),
      status: z.enum(MEDIA_STATUSES),
      failure: z.string().nullable(),
      /** Everything that shows it; deleting with `force=1` takes it away there, settings excepted. */
      usages: z.array(z.object({ kind: z.enum(USE_KINDS), id: z.string(), title: z.string() })),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'Media' }),
);

/** As many questions for all of them as for one tell where they are shown. */
export async function mediaViews(rows: readonly Media[], ctx: Ctx): Promise<z.output<typeof MediaView>[]> {
  const ids = rows.map(({ id }) => id);
  const uses = Map.groupBy(await usesOf(ctx, ids), ({ mediaId }) => mediaId);
  return rows.map((media) => mediaView(media, uses.get(media.id) ?? []));
}

const mediaView = (media: Media, uses: readonly Use[]): z.output<typeof MediaView> => ({
  id: media.id,
  file_name: media.fileName,
  mime: media.mime,
  bytes: media.bytes,
  ...pictureOf(media),
  folder: media.folder,
  status: media.status,
  failure: media.failure,
  usages: uses.map(({ kind, id, title }) => ({ kind, id, title })),
  created_at: media.createdAt,
  updated_at: media.updatedAt,
});
