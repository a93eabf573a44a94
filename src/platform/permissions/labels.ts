import type { Permission, Role } from './permissions.ts';

/** Permissions whose key does not say what they open. */
const SPECIAL: Partial<Record<Permission, string>> = {
  'orders:refund': 'Refund orders',
  'imports:run': 'Run imports',
  'reports:read': 'View reports',
  'licensing:read': 'View everything about licenses',
  'licensing:write': 'Manage licenses, products, policies, releases and customers',
  'licensing:secrets': 'Create and view secrets: license keys, signing keys, API keys',
  'licensing:danger': 'Do what cannot be undone: purge, anonymize, import, manage tenants',
  'webhooks:write': 'Manage webhooks',
  'roles:write': 'Manage roles and who holds them',
  'users:read': 'View staff',
  'users:write': 'Manage staff',
  'audit:read': 'View the audit log',
  'system:read': 'View system status',
  'system:write': 'Run jobs and create backups',
  'system:danger': 'Restore backups and upgrade',
};

/** What the system roles are for, in a line each. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'everything',
  manager: 'the whole shop, licenses and webhooks; no staff, API keys or backups',
  fulfilment: 'ship orders and count stock',
  support: 'orders with refunds, customers and licenses',
  catalogue: 'products, pictures and stock',
  marketing: 'promotions, pages, pictures and reports',
  accountant: 'see orders, reports and the audit log; payouts',
  licensing: 'licenses with their keys and secrets, and webhooks',
  viewer: 'see everything but API keys, staff and the audit log',
  vendor: 'own products and licenses only',
};

const WORDS: Readonly<Record<string, string>> = { b2b: 'companies', api_keys: 'API keys' };

/** What a permission is about, in words. */
export const areaOf = (permission: Permission): string => {
  const [area = ''] = permission.split(':');
  return WORDS[area] ?? area.replaceAll('_', ' ');
};

/** What a permission lets somebody do, in words. */
export function labelOf(permission: Permission): string {
  const isRead = permission.endsWith(':read');
  return SPECIAL[permission] ?? `${isRead ? 'View' : 'Manage'} ${areaOf(permission)}`;
}
