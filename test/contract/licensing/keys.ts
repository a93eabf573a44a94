import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = {
  'GET /products/{id}/keys': 'licensing:read',
  'POST /products/{id}/keys': 'licensing:secrets',
  'POST /products/{id}/keys/rotate': 'licensing:secrets',
  'POST /products/{id}/keys/{keyId}/activate': 'licensing:secrets',
  'POST /products/{id}/keys/{keyId}/retire': 'licensing:secrets',
  'POST /products/{id}/online-keys': 'licensing:secrets',
  'PUT /products/{id}/online-keys/{keyId}/delegation': 'licensing:secrets',
};
