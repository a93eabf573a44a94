import { adminResource, requireWholeInstallation } from '../admin/index.ts';
import { roleRows } from './queries.ts';
import * as roles from './roles.ts';
import { RoleCreate, RoleUpdate } from './schemas.ts';
import { roleScreen } from './screen.ts';
import { RoleView, StoreRoleView, storeRoleView } from './view.ts';

/** What staff and admin tokens may do, for staff (admin.md 6.2). */
export const roleResource = adminResource<RoleView, typeof RoleCreate, typeof RoleUpdate>({
  name: 'roles',
  labels: { one: 'role', many: 'roles' },
  about: 'What staff and admin tokens may do',
  needs: { read: 'users:read', write: 'roles:write' },
  screen: roleScreen,
  rows: roleRows,
  get: roles.get,
  create: {
    schema: RoleCreate,
    summary: 'Create a custom role; you can only grant permissions that you hold',
    sudo: true,
    run: async (ctx, input, how) => {
      // Every tenant has the same roles.
      requireWholeInstallation(ctx);
      return roles.create(ctx, input, how);
    },
  },
  edit: {
    schema: RoleUpdate,
    hasVersion: false,
    summary: 'Rename a custom role or replace its permissions, for everyone who holds it',
    sudo: true,
    run: async (ctx, id, input, how) => {
      requireWholeInstallation(ctx);
      return roles.update(ctx, id, input, how);
    },
  },
  remove: {
    level: 'moderate',
    summary: 'Delete a custom role that nobody holds',
    sudo: true,
    run: async (ctx, id, how) => {
      requireWholeInstallation(ctx);
      return roles.remove(ctx, id, how);
    },
  },
  apis: [
    { surface: 'license-admin', path: '/roles', item: 'role', view: RoleView, toView: (role) => role },
    {
      surface: 'store',
      path: '/roles',
      item: 'role',
      type: 'StoreRole',
      view: StoreRoleView,
      toView: storeRoleView,
      paged: false,
      without: ['export', 'bulk'],
    },
  ],
});
