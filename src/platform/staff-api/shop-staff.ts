import { type Actor, scopeOf } from '#kernel/actor.ts';
import { DEFAULT_TENANT_ID } from '../tenants/index.ts';

/**
 * The shop belongs to the tenant `default`: whoever is confined to other tenants has no business there. Nor has whoever is
 * confined to products of the license service or to vendors, since orders and goods of the shop know neither: their rows
 * would all lie within (admin.md 6.3).
 */
export function mayWorkForShop(actor: Actor): boolean {
  const own = scopeOf(actor, 'tenant');
  if (scopeOf(actor, 'license_product') !== null || scopeOf(actor, 'vendor') !== null) return false;
  return own === null || own.includes(DEFAULT_TENANT_ID);
}

/** Why somebody may not, on each surface. */
export const NOT_OF_THE_SHOP = 'Your account does not include the shop';
