import { type Actor, reaches, type ScopeKind, scopeOf } from '../actor.ts';
import { fail } from './errors.ts';

/**
 * Refuses who is confined to some rows what concerns those of others too, such as a change of a policy.
 *
 * @param kind of the rows
 * @throws AppError INSUFFICIENT_SCOPE
 */
export function requireUnconfined(actor: Pick<Actor, 'scopes'>, kind: ScopeKind): void {
  if (scopeOf(actor, kind) === null) return;
  throw fail('INSUFFICIENT_SCOPE', 'This affects rows outside your scope', {
    details: { reason: 'CONFINED', kind },
  });
}

/**
 * What somebody makes who is confined to products is about these alone.
 *
 * @param productIds null for every product
 * @throws AppError INSUFFICIENT_SCOPE for every product; NOT_FOUND for one outside of the scope
 */
export function requireProductsWithin(
  actor: Pick<Actor, 'scopes'>,
  productIds: readonly string[] | null,
): void {
  if (productIds === null) requireUnconfined(actor, 'license_product');
  const outside = productIds?.find((id) => !reaches(actor, 'license_product', id));
  if (outside !== undefined) throw fail('NOT_FOUND', `product ${outside} was not found`);
}
