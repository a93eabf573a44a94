import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { optional, text } from '#kernel/http/fields.ts';
import type { StagedFile } from '#kernel/http/form-files.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { get, replace, upload } from '#platform/media/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { attachPictures, catalogChanged } from '../products/index.ts';
import { focalPage } from './focal.ts';
import { rebuildPage } from './rebuild.ts';
import { whenStorageFails } from './storage-failure.ts';

/** Of one form: more are sent as further forms. */
const MOST_FILES = 50;

const productPath = (id: string): string => `/store/products/${encodeURIComponent(id)}?tab=pictures`;

/** What the operator finds in the log is named. */
const withRequest = ({ origin }: Ctx, { status, message }: AppError): string =>
  status >= 500 ? `${message} (request ${origin.requestId})` : message;

/** Takes them one after the other. @returns ids of those that were taken, and why the others were not */
async function takeAll(ctx: Ctx, files: readonly StagedFile[], folder: string | undefined) {
  const ids: string[] = [];
  const refused: string[] = [];
  for (const { filename, object } of files) {
    try {
      const sent = { source: createReadStream(object.path), fileName: filename, folder };
      ids.push((await whenStorageFails(ctx, () => upload(ctx, sent))).id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push(`${filename}: ${withRequest(ctx, error)}`);
    }
  }
  return { ids, refused };
}

/** Uploads pictures with a form, for the library or for a product too; the operation takes one as its body. */
const uploadPage = page({
  path: '/store/media/upload',
  title: 'Upload pictures',
  audience: { staff: 'media:write' },
  layout: PANEL,
  help: 'glossary',
  query: later(() => z.object({ product: optional(text({ max: 30 })) })),
  form: later(() => z.object({ product: optional(text({ max: 30 })), folder: optional(text({ max: 100 })) })),
  files: { pictures: { maxCount: MOST_FILES, maxBytes: (ctx) => ctx.imageLimitBytes } },
  show: async (_ctx, { query: { product = '' } }) =>
    show('store/media-upload', { product, after: product ? productPath(product) : '/store/media' }),
  async submit(ctx, { form: { product, folder }, files }) {
    const sent = files.pictures ?? [];
    if (sent.length === 0)
      throw refuseForm('No picture was uploaded', { pictures: 'Choose one or more pictures' });
    const { ids, refused } = await takeAll(ctx, sent, folder || undefined);
    if (product && ids.length > 0) await attachPictures(ctx, product, { mediaIds: ids });
    if (refused.length > 0)
      throw refuseForm(`${refused.length} of ${sent.length} files could not be uploaded; the others were`, {
        pictures: refused.join(' · '),
      });
    return goTo(product ? productPath(product) : '/store/media');
  },
});

const mediaPath = (id: string): string => `/store/media/${encodeURIComponent(id)}`;

/** Gives a picture another file with a form; the operation takes it as its body. */
const replacePage = page({
  path: '/store/media/{id}/replace',
  title: 'Replace file',
  audience: { staff: 'media:write' },
  layout: PANEL,
  help: 'glossary',
  params: z.object({ id: text({ min: 1, max: 30 }) }),
  form: z.object({}),
  files: { picture: { maxCount: 1, maxBytes: (ctx) => ctx.imageLimitBytes } },
  async show(ctx, { params: { id } }) {
    const { fileName } = await get(ctx, id);
    return show('store/media-replace', {
      fileName,
      action: `${mediaPath(id)}/replace`,
      after: mediaPath(id),
    });
  },
  async submit(ctx, { params: { id }, files }) {
    const [sent] = files.picture ?? [];
    if (!sent) throw refuseForm('No picture was uploaded', { picture: 'Choose a picture' });
    try {
      const file = { source: createReadStream(sent.object.path), fileName: sent.filename };
      await whenStorageFails(ctx, () => replace(ctx, id, file, catalogChanged));
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'NOT_FOUND') throw error;
      throw refuseForm('The file was not taken', { picture: withRequest(ctx, error) });
    }
    return goTo(`${mediaPath(id)}?done=replace`);
  },
});

/** Pages of the library that its screen cannot declare. */
export const mediaPages: readonly Page[] = [uploadPage, replacePage, focalPage, rebuildPage];
