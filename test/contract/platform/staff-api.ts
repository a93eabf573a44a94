import type { AdminRows } from '../row.ts';

const personalRows: AdminRows = {
  'POST /auth/login': null,
  'POST /auth/logout': null,
  'POST /auth/sudo': 'staff',
  'POST /auth/token': null,
  'DELETE /auth/token': 'staff',
  'POST /auth/view-as': 'users:write',
  'DELETE /auth/view-as': 'staff',
  'PATCH /me': 'staff',
  'POST /me/password': 'staff',
  'GET /me/sessions': 'staff',
  'DELETE /me/sessions': 'staff',
  'DELETE /me/sessions/{id}': 'staff',
  'POST /me/two-factor': 'staff',
  'POST /me/two-factor/confirm': 'staff',
  'DELETE /me/two-factor': 'staff',
  'POST /me/recovery-codes': 'staff',
};

/** Operations about the person who signed in: a token of a program is refused. */
export const personal: ReadonlySet<string> = new Set(Object.keys(personalRows));

export const staffRows: AdminRows = {
  ...personalRows,
  'GET /me': 'staff',
  'GET /permissions': 'staff',
  'GET /search': 'staff',
};
