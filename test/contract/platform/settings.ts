import type { AdminRows } from '../row.ts';

export const settingRows: AdminRows = {
  'GET /logs': 'system:read',
  'GET /logs/stream': 'system:read',
  'GET /settings/licensing': 'licensing:read',
  'PATCH /settings/licensing': 'licensing:write',
  'GET /settings': 'system:read',
  'PATCH /settings': 'system:write',
  'GET /settings/{key}': 'system:read',
  'POST /settings/{key}/reveal': 'system:write',
  'PUT /settings/{key}': 'system:write',
  'DELETE /settings/{key}': 'system:write',
};

export const settingBodies = {
  'PATCH /settings': () => ({ values: { 'licensing.trash_days': 23 }, note: 'as at the other site' }),
  'PATCH /settings/licensing': () => ({ values: { 'licensing.trash_days': 21 } }),
  'POST /settings/{key}/reveal': () => ({}),
  'PUT /settings/{key}': () => ({ value: 20, note: 'shorter' }),
};
