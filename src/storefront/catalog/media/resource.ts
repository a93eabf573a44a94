import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { flag, oneOf, optional, text } from '#kernel/http/fields.ts';
import type { Upload } from '#kernel/http/upload.ts';
import { later } from '#kernel/sharing.ts';
import { type Action, action, adminResource } from '#platform/admin/index.ts';
import * as media from '#platform/media/index.ts';
import { catalogChanged } from '../products/index.ts';
import { change } from './focal.ts';
import { mediaScreen } from './screen.ts';
import { whenStorageFails } from './storage-failure.ts';
import { letGo, usesOf, useWords } from './uses.ts';
import { MediaView, mediaViews } from './view.ts';

type Media = media.Media;

const Sent = later(() =>
  z.strictObject({
    file_name: text({ min: 1, max: 255 }).optional(),
    alt: text({ max: 500 }).optional(),
    folder: text({ max: 100 }).optional(),
  }),
);

const upload: Action<Media> = {
  label: 'Upload',
  summary: 'Upload a picture; the same file again returns the existing picture',
  needs: 'media:write',
  or: 'products:write',
  level: 'mild',
  where: 'page',
  path: '',
  status: 201,
  query: Sent,
  upload: { maxBytes: (ctx: Ctx) => ctx.imageLimitBytes },
  run: (ctx, _id, { file, query }: { file: Upload; query: z.output<typeof Sent> }) =>
    whenStorageFails(ctx, () =>
      media.upload(ctx, {
        source: file.stream,
        fileName: query.file_name ?? file.filename,
        alt: query.alt,
        folder: query.folder,
      }),
    ),
};

const replace: Action<Media> = {
  label: 'Replace file',
  summary: 'Replace the file of a picture; its ID, texts and uses stay',
  needs: 'media:write',
  or: 'products:write',
  level: 'mild',
  where: 'row',
  query: z.strictObject({ file_name: text({ min: 1, max: 255 }).optional() }),
  upload: { maxBytes: (ctx: Ctx) => ctx.imageLimitBytes },
  run: (ctx, id, { file, query }: { file: Upload; query: { file_name?: string } }) =>
    whenStorageFails(ctx, () =>
      media.replace(
        ctx,
        id,
        { source: file.stream, fileName: query.file_name ?? file.filename },
        catalogChanged,
      ),
    ),
};

const Bare = z.strictObject({});
const Removed = z.strictObject({ force: optional(flag()) });
const RemovedBy = later(() => z.strictObject({ force: optional(oneOf(['true', 'false', '1', '0'])) }));

/** Said by the form of the panel, or in the address. */
const isForced = ({ force }: { readonly force?: unknown }): boolean =>
  force === true || force === 'true' || force === '1';

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
    run: change,
  },
  remove: {
    level: 'moderate',
    summary: 'Delete a picture; one in use only with force, which removes it there first',
    input: Removed,
    query: RemovedBy,
    preview: async (ctx, id) => (await usesOf(ctx, [id])).map((use) => `It is used by ${useWords(use)}`),
    run: (ctx, id, _how, asked) =>
      media.remove(ctx, id, (ctx) => letGo(ctx, id, isForced(asked as { force?: unknown }))),
  },
  actions: {
    upload,
    replace,
    retry: action<Media, typeof Bare>({
      label: 'Try again',
      summary: 'Retry creating the sizes of a picture',
      needs: 'media:write',
      or: 'products:write',
      level: 'mild',
      where: 'both',
      input: Bare,
      when: ({ status }) => status === 'failed',
      run: (ctx, id) => media.rebuild(ctx, id),
    }),
    regenerate: action<Media, typeof media.Rebuild>({
      label: 'Rebuild',
      summary: 'Rebuild the sizes of a picture from its original',
      needs: 'media:write',
      or: 'products:write',
      level: 'mild',
      where: 'both',
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
      without: ['export'],
    },
  ],
});
