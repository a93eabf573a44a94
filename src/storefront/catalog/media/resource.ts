import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import type { Upload } from '#kernel/http/upload.ts';
import { type Action, action, adminResource } from '#platform/admin/index.ts';
import * as media from '#platform/media/index.ts';
import { catalogChanged } from '../products/index.ts';
import { mediaScreen } from './screen.ts';
import { MediaView, mediaViews } from './view.ts';

type Media = media.Media;

const Sent = z.strictObject({
  file_name: text({ min: 1, max: 255 }).optional(),
  alt: text({ max: 500 }).optional(),
  folder: text({ max: 100 }).optional(),
});

const upload: Action<Media> = {
  label: 'Upload',
  summary: 'Upload a picture; the same file again answers with the one that is there',
  needs: 'media:write',
  or: 'products:write',
  level: 'mild',
  where: 'page',
  path: '',
  status: 201,
  query: Sent,
  upload: { maxBytes: (ctx: Ctx) => ctx.imageLimitBytes },
  run: (ctx, _id, { file, query }: { file: Upload; query: z.output<typeof Sent> }) =>
    media.upload(ctx, {
      source: file.stream,
      fileName: query.file_name ?? file.filename,
      alt: query.alt,
      folder: query.folder,
    }),
};

/** Pictures of the shop, for staff (storefront-api.md, AC). */
export const mediaResource = adminResource<Media, z.ZodObject, typeof media.MediaUpdate>({
  name: 'media',
  labels: { one: 'picture', many: 'pictures' },
  about: 'Pictures of products, categories and pages',
  needs: { read: 'media:read', orRead: 'products:read', write: 'media:write', orWrite: 'products:write' },
  screen: mediaScreen,
  rows: media.mediaRows,
  edit: {
    schema: media.MediaUpdate,
    hasVersion: false,
    run: (ctx, id, input, how) =>
      ctx.tx(async (ctx) => {
        const after = await media.change(ctx, id, input, how);
        await catalogChanged(ctx);
        return after;
      }),
  },
  remove: {
    level: 'moderate',
    summary: 'Delete a picture that is shown nowhere',
    run: (ctx, id) => media.remove(ctx, id),
  },
  actions: {
    upload,
    regenerate: action<Media, typeof media.Rebuild>({
      label: 'Rebuild',
      summary: 'Make the sizes of a picture again from its original',
      needs: 'media:write',
      or: 'products:write',
      level: 'mild',
      where: 'row',
      input: media.Rebuild,
      run: (ctx, id, { quality }) => media.rebuild(ctx, id, quality),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/media',
      item: 'media',
      view: MediaView,
      toViews: mediaViews,
      without: ['export', 'bulk'],
    },
  ],
});
