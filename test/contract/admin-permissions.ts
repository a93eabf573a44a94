/** The system roles; that of vendors sees nothing without a scope and has tests of its own. */
const everybody = [
  'owner',
  'manager',
  'fulfilment',
  'support',
  'catalogue',
  'marketing',
  'accountant',
  'licensing',
  'viewer',
];

/** Which of them hold each permission of the admin API (admin.md 6.2). */
export const holders: Record<string, readonly string[]> = {
  staff: everybody,
  'licensing:read': ['owner', 'manager', 'support', 'licensing', 'viewer'],
  'licensing:write': ['owner', 'manager', 'support', 'licensing'],
  'licensing:secrets': ['owner', 'licensing'],
  'licensing:danger': ['owner'],
  'webhooks:read': ['owner', 'manager', 'licensing', 'viewer'],
  'webhooks:write': ['owner', 'manager', 'licensing'],
  'api_keys:read': ['owner'],
  'api_keys:write': ['owner'],
  'users:read': ['owner'],
  'users:write': ['owner'],
  'roles:write': ['owner'],
  'audit:read': ['owner', 'manager', 'accountant'],
  'reports:read': ['owner', 'manager', 'marketing', 'accountant', 'licensing', 'viewer'],
  'system:read': ['owner', 'manager', 'viewer'],
  'system:write': ['owner'],
  'system:danger': ['owner'],
};
