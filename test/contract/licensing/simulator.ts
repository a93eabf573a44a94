import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = {
  'POST /simulate': 'licensing:read',
  'POST /policies/{id}/impact': 'licensing:read',
};
