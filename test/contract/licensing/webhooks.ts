import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = {
  'GET /webhooks': 'licensing:read',
  'GET /webhooks/{id}': 'licensing:read',
  'POST /webhooks': 'licensing:secrets',
  'PATCH /webhooks/{id}': 'licensing:write',
  'DELETE /webhooks/{id}': 'licensing:write',
  'POST /webhooks/{id}/enable': 'licensing:write',
  'POST /webhooks/{id}/disable': 'licensing:write',
  'POST /webhooks/{id}/test': 'licensing:write',
  'POST /webhooks/{id}/test-request': 'licensing:write',
  'POST /webhooks/{id}/rotate-secret': 'licensing:secrets',
  'GET /webhooks/{id}/deliveries': 'licensing:read',
  'GET /deliveries/{id}': 'licensing:read',
  'POST /deliveries/{id}/redeliver': 'licensing:write',
  'POST /webhooks/{id}/replay': 'licensing:write',
};
