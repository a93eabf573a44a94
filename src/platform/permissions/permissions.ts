import { includesPermission } from '#kernel/actor.ts';

/**
 * What staff and their tokens may do (admin.md 6.1). For webhooks and API keys of the license service the licensing
 * permissions decide.
 */

/** Areas with the two permissions `<area>:read` and `<area>:write`, by what they belong to. */
const areas = {
  store: [
    'products',
    'orders',
    'customers',
    'inventory',
    'settings',
    'promotions',
    'gift_cards',
    'loyalty',
    'subscriptions',
    'reviews',
    'media',
    'merch',
    'content',
    'vendors',
    'payouts',
    'b2b',
    'quotes',
  ],
  licensing: ['licensing'],
  platform: ['webhooks', 'api_keys', 'users', 'system'],
} as const;

/** Permissions that neither read nor write an area; they imply nothing else. */
const others = {
  store: ['orders:refund', 'imports:run', 'reports:read'],
  licensing: ['licensing:secrets', 'licensing:danger'],
  platform: ['roles:write', 'audit:read', 'system:danger'],
} as const;

type Part = keyof typeof areas;
type Area = (typeof areas)[Part][number];

/** `<area>:<what>`. Write implies read; secrets and danger imply nothing else. */
export type Permission = `${Area}:${'read' | 'write'}` | (typeof others)[Part][number];

/** Every permission of a part of the program, for the lists that people choose from. */
export const permissionsIn = (part: Part): readonly Permission[] => [
  ...areas[part].flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  ...others[part],
];

/** The parts of the program, in the order in which people look at them. */
export const PARTS = Object.keys(areas) as readonly Part[];

/** Every permission there is. */
export const PERMISSIONS: readonly Permission[] = PARTS.flatMap(permissionsIn);

const isRead = (permission: Permission): boolean => permission.endsWith(':read');

/** Without what another one of them includes. */
const shortened = (all: readonly Permission[]): readonly Permission[] =>
  all.filter((one) => !isRead(one) || !all.includes(one.replace(/:read$/, ':write') as Permission));

const except = (all: readonly Permission[], ...left: readonly string[]): readonly Permission[] =>
  all.filter((one) => !left.some((out) => one === out || one.startsWith(`${out}:`)));

/** The system roles, the most powerful first (admin.md 6.2). */
const holdings = {
  owner: shortened(PERMISSIONS),
  manager: [
    ...shortened(except(permissionsIn('store'), 'payouts:write')),
    'licensing:write',
    'webhooks:write',
    'audit:read',
    'system:read',
  ],
  fulfilment: ['orders:write', 'inventory:write', 'customers:read', 'products:read'],
  support: [
    'orders:write',
    'orders:refund',
    'customers:write',
    'subscriptions:write',
    'loyalty:write',
    'gift_cards:read',
    'licensing:write',
  ],
  catalogue: [
    'products:write',
    'media:write',
    'merch:write',
    'reviews:write',
    'inventory:write',
    'imports:run',
  ],
  marketing: [
    'promotions:write',
    'content:write',
    'media:write',
    'reviews:write',
    'loyalty:write',
    'reports:read',
    'customers:read',
  ],
  accountant: ['orders:read', 'reports:read', 'payouts:write', 'vendors:read', 'audit:read'],
  licensing: ['licensing:write', 'licensing:secrets', 'webhooks:write', 'reports:read', 'customers:read'],
  viewer: except(PERMISSIONS.filter(isRead), 'api_keys', 'users', 'audit'),
  /** Within own rows only: without a scope it sees nothing (admin.md 6.3). */
  vendor: [
    'products:write',
    'orders:read',
    'inventory:write',
    'reports:read',
    'licensing:write',
    'webhooks:read',
  ],
} as const satisfies Record<string, readonly Permission[]>;

export type Role = keyof typeof holdings;

/** The system roles, the most powerful first. */
export const ROLES = Object.keys(holdings) as readonly Role[];

/** Whether a name is one of a system role. */
export const isRole = (name: string): name is Role => Object.hasOwn(holdings, name);

/** Whether a system role may do something. */
export const permits = (role: string, needed: Permission): boolean =>
  includesPermission(permissionsOf(role), needed);

/**
 * What a system role holds, without what that includes; nothing for a name that is none of this program's.
 *
 * @param role name as it is stored
 */
export const permissionsOf = (role: string): readonly Permission[] => (isRole(role) ? holdings[role] : []);

/** The system roles that may do something. */
export const rolesWith = (needed: Permission): Role[] => ROLES.filter((role) => permits(role, needed));
