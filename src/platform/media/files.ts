import type { Ctx } from '#kernel/context.ts';
import { VARIANT_NAMES } from '../pictures/index.ts';
import type { Media } from './record.ts';
import * as repo from './repository.ts';

/** Where the variants of a picture are stored. */
export const variantKeys = ({ variants }: Pick<Media, 'variants'>): string[] =>
  variants === null ? [] : VARIANT_NAMES.map((name) => variants[name].key);

/**
 * Removes files that a picture had, once its transaction has ended. A file that stays behind costs room and nothing
 * else; another picture may have been uploaded with the same bytes meanwhile, and keeps its files.
 */
export async function dropFiles(ctx: Ctx, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    try {
      const [sha256 = ''] = key.split('/', 1);
      if (!(await repo.findBySha(ctx, sha256))) await ctx.media.remove(key);
    } catch (error) {
      ctx.log.error(
        { err: error, key },
        'a file of a picture that is not needed any more could not be removed',
      );
    }
  }
}
