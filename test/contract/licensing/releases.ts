import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = {
  'GET /releases': 'licensing:read',
  'GET /releases/{id}': 'licensing:read',
  'GET /releases/{id}/stats': 'licensing:read',
  'POST /releases': 'licensing:write',
  'PATCH /releases/{id}': 'licensing:write',
  'DELETE /releases/{id}': 'licensing:write',
  'PUT /releases/{id}/bundle': 'licensing:write',
  'PUT /releases/{id}/signature': 'licensing:write',
  'POST /releases/{id}/publish': 'licensing:write',
  'POST /releases/{id}/yank': 'licensing:write',
  'POST /releases/{id}/unyank': 'licensing:write',
  'POST /releases/{id}/archive': 'licensing:write',
  'POST /releases/{id}/rollout': 'licensing:write',
  'POST /releases/{id}/promote': 'licensing:write',
};
