import type { AdminRows } from '../row.ts';

/** What is of the whole installation, whatever tenants it has. */
export const settingRows: AdminRows = {
  'GET /backups': 'system:read',
  'POST /backups': 'system:write',
  'GET /backups/{file}': 'system:read',
  'GET /backups/{file}/download': 'system:danger',
  'POST /backups/{file}/verify': 'system:write',
  'POST /backups/{file}/restore': 'system:danger',
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
  'POST /backups/{file}/restore': () => ({ name: 'appctl' }),
  'PATCH /settings': () => ({ values: { 'licensing.trash_days': 23 }, note: 'as at the other site' }),
  'PATCH /settings/licensing': () => ({ values: { 'licensing.trash_days': 21 } }),
  'POST /settings/{key}/reveal': () => ({}),
  'PUT /settings/{key}': () => ({ value: 20, note: 'shorter' }),
};
