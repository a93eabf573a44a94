import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = {
  'GET /integrations': 'licensing:read',
  'GET /integrations/{configId}': 'licensing:read',
  'POST /integrations': 'licensing:secrets',
  'PATCH /integrations/{configId}': 'licensing:secrets',
  'DELETE /integrations/{configId}': 'licensing:secrets',
  'GET /integrations/{configId}/mappings': 'licensing:read',
  'POST /integrations/{configId}/mappings': 'licensing:write',
  'PATCH /integrations/{configId}/mappings/{id}': 'licensing:write',
  'DELETE /integrations/{configId}/mappings/{id}': 'licensing:write',
};
