import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { optional, text } from '#kernel/http/fields.ts';
import type { StagedFile } from '#kernel/http/form-files.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { upload } from '#platform/media/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { attachPictures } from '../products/index.ts';

/** Of one form: more are sent as further forms. */
const MOST_FILES = 50;

const productPath = (id: string): string => `/store/products/${encodeURIComponent(id)}?tab=pictures`;

/** Takes them one after the other. @returns ids of those that were taken, and why the others were not */
async function takeAll(ctx: Ctx, files: readonly StagedFile[], folder: string | undefined) {
  const ids: string[] = [];
  const refused: string[] = [];
  for (const { filename, object } of files) {
    try {
      const sent = { source: createReadStream(object.path), fileName: filename, folder };
      ids.push((await upload(ctx, sent)).id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push(`${filename}: ${error.message}`);
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
  query: z.object({ product: optional(text({ max: 30 })) }),
  form: z.object({ product: optional(text({ max: 30 })), folder: optional(text({ max: 100 })) }),
  files: { pictures: { maxCount: MOST_FILES, maxBytes: (ctx) => ctx.imageLimitBytes } },
  show: async (_ctx, { query: { product = '' } }) =>
    show('store/media-upload', { product, after: product ? productPath(product) : '/store/media' }),
  async submit(ctx, { form: { product, folder }, files }) {
    const sent = files.pictures ?? [];
    if (sent.length === 0)
      throw refuseForm('No picture was sent', { pictures: 'Choose one or more pictures' });
    const { ids, refused } = await takeAll(ctx, sent, folder || undefined);
    if (product && ids.length > 0) await attachPictures(ctx, product, { mediaIds: ids });
    if (refused.length > 0)
      throw refuseForm(`${refused.length} of ${sent.length} files were not taken; the others are there`, {
        pictures: refused.join(' · '),
      });
    return goTo(product ? productPath(product) : '/store/media');
  },
});

/** Pages of the library that its screen cannot declare. */
export const mediaPages: readonly Page[] = [uploadPage];
