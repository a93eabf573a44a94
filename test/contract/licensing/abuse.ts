import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = {
  'GET /abuse/rules': 'licensing:read',
  'PUT /abuse/rules': 'licensing:write',
};
