import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { openDownload } from '#storefront/buying/downloads/index.ts';
import { wordsOf } from '../shop/index.ts';
import { type Asked, guestBase, untold } from './order-page.ts';

/** Says that a link fetches nothing: 410 for one that did, or could have. */
async function refused(ctx: Ctx, { query, visitor }: Asked, error: unknown): Promise<Shown> {
  if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
  const words = await wordsOf(ctx, visitor, query.lang);
  const { reason } = error.details;
  const isOver = reason === 'TOKEN_USED' || reason === 'TOKEN_EXPIRED';
  // The link itself is good, and stays so for its time.
  const why = reason === 'NO_RELEASE' ? 'unreleased' : 'over';
  const data = { ...words, title: words.t(`download.${why}_title`), text: words.t(`download.${why}_text`) };
  return show('shop/download-over', data, { status: isOver ? 410 : 404, head: untold(query.lang) });
}

/** The file of a link (shop-pages 2.7): made by a button, so that nobody but its shopper has it. */
const filePage = page({
  ...guestBase,
  path: '/shop/download/{token}',
  title: 'Download',
  async show(ctx, asked) {
    try {
      const stream = await openDownload(ctx, asked.params.token);
      return { stream, orElse: (error) => refused(ctx, asked, error) };
    } catch (error) {
      return refused(ctx, asked, error);
    }
  },
});

export const downloadPages: readonly Page[] = [filePage];
