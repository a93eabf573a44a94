import { refuse } from './change.ts';
import type { Product } from './record.ts';

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
