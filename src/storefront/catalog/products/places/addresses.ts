import type { Ctx } from '#kernel/context.ts';
import { idsBySlug } from '../queries.ts';

/** So many unknown addresses are named. */
const MOST_NAMED = 5;

/** The addresses in a field, one per line or with spaces between them, as often as they were typed. */
export const slugsIn = (text: string): string[] => text.split(/\s+/).filter((slug) => slug !== '');

/**
 * The products that addresses lead to, in their order.
 *
 * @returns their ids; or what the field that they were typed into says when some do not exist
 */
export async function productsAt(
  ctx: Ctx,
  slugs: readonly string[],
): Promise<{ readonly ids: string[] } | { readonly fault: string }> {
  const known = await idsBySlug(ctx, slugs);
  const unknown = slugs.filter((slug) => !known.has(slug));
  if (unknown.length === 0) return { ids: slugs.flatMap((slug) => known.get(slug) ?? []) };
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : '';
  const named = unknown.slice(0, MOST_NAMED).join(', ');
  return {
    fault: `These products do not exist: ${named}${more}. Copy addresses from the list of products.`,
  };
}
