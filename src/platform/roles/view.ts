import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { PERMISSIONS, permissionsOf } from '../permissions/index.ts';
import { roleRecord, type StoredRole } from './record.ts';

/** A role with what it holds and how many hold it. */
export const RoleView = later(() =>
  z
    .object({
      ...storedView(roleRecord, ['id', 'name', 'isSystem']).shape,
      /** In the order of the list of permissions; write includes read. */
      permissions: z.array(z.string()),
      /** Accounts of staff that hold it. */
      users: count(),
      /** Admin tokens that hold it and have not ended. */
      tokens: count(),
      ...storedView(roleRecord, ['createdAt', 'updatedAt']).shape,
    })
    .meta({ id: 'Role' }),
);
export type RoleView = z.output<typeof RoleView>;

/** The same in the JSON of the store. */
export const StoreRoleView = later(() =>
  z
    .object({
      ...RoleView.pick({ id: true, name: true, permissions: true, users: true, tokens: true }).shape,
      is_system: z.boolean(),
      created_at: RoleView.shape.createdAt,
      updated_at: RoleView.shape.updatedAt,
    })
    .meta({ id: 'StoreRole' }),
);

export const storeRoleView = (role: RoleView): z.output<typeof StoreRoleView> => ({
  id: role.id,
  name: role.name,
  permissions: role.permissions,
  users: role.users,
  tokens: role.tokens,
  is_system: role.isSystem,
  created_at: role.createdAt,
  updated_at: role.updatedAt,
});

/** @param own permissions from its rows: what a system role holds the program knows */
export const roleView = (role: StoredRole, own: readonly string[]): RoleView =>
  shownBy(RoleView, {
    ...role,
    permissions: role.isSystem ? [...permissionsOf(role.name)] : inOrder(own),
    users: 0,
    tokens: 0,
  });

/** Each once, in the order of the list of permissions. A name that this program does not know comes last. */
export const inOrder = (permissions: readonly string[]): string[] => {
  const unknown = permissions.filter((one) => !(PERMISSIONS as readonly string[]).includes(one));
  return [...PERMISSIONS.filter((one) => permissions.includes(one)), ...unknown];
};
