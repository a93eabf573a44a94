import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = { 'GET /metrics': 'licensing:read' };
