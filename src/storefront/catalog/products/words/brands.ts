import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { change } from '../products.ts';
import { idsOfBrand } from './queries.ts';

const name = () => text({ min: 1, max: 100, trim: true });
export const BrandRename = z.strictObject({ from: name(), to: name() });

/**
 * Renames a brand in all its products, in one transaction; a name that is in use joins both.
 *
 * @returns how many products have changed
 * @throws AppError VALIDATION_ERROR; NOT_FOUND for a brand that no product has
 */
export async function renameBrand(ctx: Ctx, input: z.output<typeof BrandRename>): Promise<number> {
  const { from, to } = checkInput(BrandRename, input);
  return ctx.tx(async (ctx) => {
    const ids = await idsOfBrand(ctx, from);
    if (ids.length === 0) throw fail('NOT_FOUND', `no product has the brand ${from}`);
    let changed = 0;
    // By their ids: two renames at once lock the products in the same order.
    for (const id of ids) {
      const before = (await change(ctx, id, {})).brand;
      // Somebody may have moved it to another brand meanwhile.
      if (before !== from || from === to) continue;
      await change(ctx, id, { brand: to });
      changed += 1;
    }
    return changed;
  });
}
