import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = {
  'GET /key-formats': 'licensing:read',
  'GET /key-formats/export': 'licensing:read',
  'GET /key-formats/{id}': 'licensing:read',
  'POST /key-formats': 'licensing:write',
  'PATCH /key-formats/{id}': 'licensing:write',
  'DELETE /key-formats/{id}': 'licensing:write',
  'POST /key-formats/preview': 'licensing:read',
};
