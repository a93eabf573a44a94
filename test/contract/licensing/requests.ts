import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = { 'GET /licenses/{id}/decisions': 'licensing:read' };
