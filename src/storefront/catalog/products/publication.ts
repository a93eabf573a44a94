import type { Ctx } from '#kernel/context.ts';
import { itemSnapshot } from '#storefront/contract/extensions.ts';
import { refuse } from './change.ts';
import type { Product, Variant } from './record.ts';

/** Types that this version cannot deliver: what is sold of them would never arrive. */
const unsold: readonly Product['type'][] = ['subscription', 'merch'];

/**
 * Demands that a product can be sold.
 *
 * @param variants how many it has
 * @throws AppError CONFLICT, reason INVALID_TRANSITION
 */
export function requirePublishable({ slug, type }: Pick<Product, 'slug' | 'type'>, variants: number): void {
  if (unsold.includes(type))
    throw refuse(
      'INVALID_TRANSITION',
      `products of the type ${type} cannot be sold in this version: keep ${slug} as a draft`,
    );
  if (variants === 0)
    throw refuse('INVALID_TRANSITION', `product ${slug} has no variants; add one, then publish it`);
}

type Sold = Pick<Variant, 'id' | 'sku'>;

/**
 * Demands that each variant of a product of licenses is sold with one: whoever buys it would get nothing.
 *
 * @throws AppError CONFLICT, reason INVALID_TRANSITION
 */
export async function requireLicenses(
  ctx: Ctx,
  { slug, type }: Pick<Product, 'slug' | 'type'>,
  variants: readonly Sold[],
): Promise<void> {
  if (type !== 'license') return;
  const [snapshots] = await ctx.filled(itemSnapshot);
  if (!snapshots)
    throw refuse(
      'INVALID_TRANSITION',
      `license sales are off: turn on the setting licenses_enabled, then publish ${slug}`,
    );
  const sold = await snapshots(
    ctx,
    variants.map(({ id }) => id),
  );
  const without = variants.filter(({ id }) => !sold.has(id)).map(({ sku }) => sku);
  if (without.length > 0)
    throw refuse(
      'INVALID_TRANSITION',
      `${without.slice(0, 5).join(', ')}${without.length > 5 ? ` and ${without.length - 5} more` : ''} of ${slug} ${without.length === 1 ? 'has' : 'have'} no license yet: set the license of each variant, then publish ${slug}`,
    );
}

/**
 * A new variant has no license yet, so that a published product of licenses gets none.
 *
 * @throws AppError CONFLICT, reason INVALID_TRANSITION
 */
export function requireDraftFor({ slug, type, status }: Product, added: number): void {
  if (type !== 'license' || status !== 'active' || added === 0) return;
  throw refuse(
    'INVALID_TRANSITION',
    `${slug} is sold with licenses, which a new variant does not have yet: make ${slug} a draft, add the variant, set its license, then publish ${slug}`,
  );
}
