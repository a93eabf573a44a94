import type { Permission } from './permissions.ts';

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
