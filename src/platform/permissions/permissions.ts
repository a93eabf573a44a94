import { includesPermission } from '#kernel/actor.ts';

/**
 * What staff and their tokens may do (admin.md 6.1, 6.2), as far as its subject exists: the permissions of the store
 * and the roles that hold nothing else come with the store, row scopes and own roles with the panel. For webhooks and
 * API keys of the license service the licensing permissions decide.
 */

const areas = ['licensing', 'webhooks', 'api_keys', 'users', 'system'] as const;

/** `<area>:<what>`. Write implies read; secrets and danger imply nothing else. */
export type Permission =
  | `${(typeof areas)[number]}:${'read' | 'write'}`
  | 'licensing:secrets'
  | 'licensing:danger'
  | 'roles:write'
  | 'audit:read'
  | 'system:danger';

const everything: readonly Permission[] = [
  ...areas.map((area) => `${area}:write` as const),
  'licensing:secrets',
  'licensing:danger',
  'roles:write',
  'audit:read',
  'system:danger',
];

const holdings = {
  owner: everything,
  manager: ['licensing:write', 'webhooks:write', 'system:read'],
  support: ['licensing:write'],
  licensing: ['licensing:write', 'licensing:secrets', 'webhooks:write'],
  viewer: ['licensing:read', 'webhooks:read', 'system:read'],
} as const satisfies Record<string, readonly Permission[]>;

export type Role = keyof typeof holdings;

/** The system roles, the most powerful first. */
export const ROLES = Object.keys(holdings) as readonly Role[];

/** Whether a name is one of a system role. */
export const isRole = (name: string): name is Role => Object.hasOwn(holdings, name);

/**
 * Whether a role may do something. A role that this program does not know, of a newer one, may do nothing.
 *
 * @param role name as it is stored
 */
export const permits = (role: string, needed: Permission): boolean =>
  includesPermission(permissionsOf(role), needed);

/** What a role holds, without what that includes; nothing for a role that this program does not know. */
export const permissionsOf = (role: string): readonly Permission[] => (isRole(role) ? holdings[role] : []);

/** The roles that may do something. */
export const rolesWith = (needed: Permission): Role[] => ROLES.filter((role) => permits(role, needed));
