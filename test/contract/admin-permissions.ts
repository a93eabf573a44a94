/** Which roles hold each permission of the admin API (admin.md 6.2). */
export const holders: Record<string, string[]> = {
  'licensing:read': ['owner', 'manager', 'support', 'licensing', 'viewer'],
  'licensing:write': ['owner', 'manager', 'support', 'licensing'],
  'licensing:secrets': ['owner', 'licensing'],
};
