import type { Actor, Permissions, ScopeKind, Scopes } from '#kernel/actor.ts';
import { permissionsOf } from '../permissions/index.ts';

/** What `heldColumns` selects: words with a blank between them, null for none. */
export interface HeldRow {
  held_roles: string | null;
  held_permissions: string | null;
  held_scopes: string | null;
}

/** What a user holds at this moment. */
export interface Held {
  readonly roles: readonly string[];
  readonly permissions: Permissions;
  readonly scopes: Scopes;
}

/** Sees nothing without a scope; every other role sees every row without one (admin.md 6.3). */
const CONFINED_ROLE = 'vendor';
const OWNER = 'owner';

/** What a row of `heldColumns` says. */
export function heldOf(row: HeldRow): Held {
  const roles = words(row.held_roles).toSorted();
  return {
    roles,
    permissions: permissionsHeld(roles, words(row.held_permissions)),
    scopes: scopesHeld(roles, words(row.held_scopes)),
  };
}

/** What an actor may do and see, from what its user holds. */
export const reachOf = ({
  permissions,
  scopes,
}: Pick<Held, 'permissions' | 'scopes'>): Pick<Actor, 'permissions' | 'scopes' | 'isInstanceWide'> => ({
  permissions,
  scopes,
  ...(scopes.tenant === undefined && { isInstanceWide: true }),
});

/**
 * The permissions of some roles together, each once.
 *
 * @param roles names; of the system ones the program knows what they hold
 * @param own permissions of the other ones, from their rows
 */
export const permissionsHeld = (roles: readonly string[], own: readonly string[]): readonly string[] => [
  ...new Set([...roles.flatMap(permissionsOf), ...own]),
];

/** @param pairs `kind:id` */
function scopesHeld(roles: readonly string[], pairs: readonly string[]): Scopes {
  const scopes: Partial<Record<ScopeKind, string[]>> = {};
  for (const pair of pairs) {
    const [kind, id] = pair.split(':') as [ScopeKind, string];
    (scopes[kind] ??= []).push(id);
  }
  return confined(roles, scopes);
}

/** The scopes that count for the holder of some roles. */
export const confined = (roles: readonly string[], scopes: Scopes): Scopes =>
  roles.includes(CONFINED_ROLE) && !roles.includes(OWNER)
    ? { license_product: [], vendor: [], ...scopes }
    : scopes;

/** The words of an aggregated column. */
export const words = (aggregated: string | null): string[] => aggregated?.split(' ') ?? [];
