import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = { 'POST /simulate': 'licensing:read' };
