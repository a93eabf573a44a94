import { command, screen } from '../admin/index.ts';
import { permissionMatrix } from './matrix.ts';
import { RoleView } from './view.ts';

/** Roles in the panel (admin.md 5.6). */
export const roleScreen = screen(RoleView, {
  path: '/admin/roles',
  words: 'permissions access rights',
  area: 'system',
  order: 40,
  title: ({ name }) => name,
  columns: {
    name: {},
    isSystem: { label: 'Built in' },
    permissions: { kind: 'number', value: ({ permissions }) => permissions.length },
    users: { label: 'Staff' },
    tokens: {},
  },
  fields: {
    permissions: {
      help: 'Manage includes View. You can only grant permissions that you hold.',
      matrix: permissionMatrix,
    },
  },
  duplicate: { without: ['name'] },
  commands: {
    create: command(({ name }) => `admin role create ${name === '' ? 'ROLE' : name}`, {
      flags: { name: () => [], permissions: 'permission' },
    }),
    remove: command('admin role delete', { confirm: 'yes' }),
  },
  empty: {
    text: 'A role is a set of permissions for staff and tokens.',
    docs: 'staff-and-roles',
    cli: 'appctl admin role create --name NAME --permission licensing:read',
  },
});
