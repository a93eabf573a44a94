import { type Actor, scopeOf } from '#kernel/actor.ts';
import { DEFAULT_TENANT_ID } from '../tenants/index.ts';

/** The shop belongs to the tenant `default`: whoever is confined to other tenants has no business there. */
export function mayWorkForShop(actor: Actor): boolean {
  const own = scopeOf(actor, 'tenant');
  return own === null || own.includes(DEFAULT_TENANT_ID);
}

/** Why somebody may not, on each surface. */
export const NOT_OF_THE_SHOP = 'The shop is not among the tenants of your account';
