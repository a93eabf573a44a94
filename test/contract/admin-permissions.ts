/** Which roles hold each permission of the admin API (admin.md 6.2). */
const everybody = ['owner', 'manager', 'support', 'licensing', 'viewer'];

export const holders: Record<string, string[]> = {
  'licensing:read': everybody,
  staff: everybody,
  'licensing:write': ['owner', 'manager', 'support', 'licensing'],
  'licensing:secrets': ['owner', 'licensing'],
};
