import { change, one, page } from '../answers.ts';
import { adminRoles } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec } from '../frame/spec.ts';

const views = () => import('#platform/roles/view.ts');
const staff = () => import('#platform/accounts/view.ts');

const named: ArgSpec = { name: 'role', summary: 'name or id of the role' };
const permissions: ArgSpec = {
  name: 'permission',
  summary: 'permission, such as licensing:read; admin role show owner lists all',
  variadic: true,
};
const user: ArgSpec = { name: 'user', summary: 'email address or id of the account' };

export const groups: readonly GroupSpec[] = [
  { path: 'admin role', summary: 'roles: what staff and admin tokens may do' },
];

const roleCommands: readonly CommandSpec[] = [
  {
    path: 'admin role list',
    summary: 'list the roles, built-in ones first',
    runs: ['L', 'R'],
    examples: ['appctl admin role list'],
    exits: [4],
    output: page(views, 'RoleView'),
    load: () => import('./read.ts').then((actions) => actions.listRoles),
  },
  {
    path: 'admin role show',
    summary: 'show a role with its permissions',
    args: [named],
    runs: ['L', 'R'],
    examples: ['appctl admin role show support'],
    exits: [3, 4],
    output: one(views, 'RoleView'),
    load: () => import('./read.ts').then((actions) => actions.showRole),
  },
  {
    path: 'admin role create',
    summary: 'create a custom role',
    args: [{ name: 'role', summary: 'name in lower case, such as night-shift' }],
    options: [
      {
        name: 'permission',
        value: 'PERMISSION',
        summary: 'permission, such as licensing:read',
        repeat: true,
      },
    ],
    runs: ['L', 'R'],
    examples: ['appctl admin role create night-shift --permission licensing:write --permission orders:read'],
    confirm: 'mild',
    exits: [4, 5],
    output: change(views, 'RoleView'),
    load: () => import('./change.ts').then((actions) => actions.createRole),
  },
  {
    path: 'admin role grant',
    summary: 'add permissions to a custom role',
    args: [named, permissions],
    runs: ['L', 'R'],
    examples: ['appctl admin role grant night-shift orders:refund'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'RoleView'),
    load: () => import('./change.ts').then((actions) => actions.grantPermissions),
  },
  {
    path: 'admin role deny',
    summary: 'remove permissions from a custom role',
    args: [named, permissions],
    runs: ['L', 'R'],
    examples: ['appctl admin role deny night-shift orders:refund'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'RoleView'),
    load: () => import('./change.ts').then((actions) => actions.denyPermissions),
  },
  {
    path: 'admin role delete',
    summary: 'delete a custom role that nobody has',
    args: [named],
    runs: ['L', 'R'],
    examples: ['appctl admin role delete night-shift --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: change(views, 'RoleView'),
    load: () => import('./change.ts').then((actions) => actions.deleteRole),
  },
];

const userCommands: readonly CommandSpec[] = [
  {
    path: 'admin user set-role',
    summary: 'replace the roles of an account',
    description: 'The new roles apply from the next request. Without --role the account has no roles.',
    args: [user],
    options: [
      {
        name: 'role',
        value: 'ROLE',
        summary: `${adminRoles.join(', ')}, or a custom role`,
        repeat: true,
      },
    ],
    runs: ['L', 'R'],
    examples: ['appctl admin user set-role ann@example.com --role support --role marketing'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: change(staff, 'StaffView'),
    load: () => import('./rights.ts').then((actions) => actions.setUserRoles),
  },
  {
    path: 'admin user set-scope',
    summary: 'replace the products and tenants that an account may see',
    description:
      'From its next request on, the account sees nothing else. Without --product it sees every product, and without --of-tenant every tenant. The vendor role sees no products without --product.',
    args: [user],
    options: [
      { name: 'product', value: 'SLUG', summary: 'only this product', repeat: true },
      { name: 'of-tenant', value: 'SLUG', summary: 'only this tenant', repeat: true },
    ],
    runs: ['L', 'R'],
    examples: ['appctl admin user set-scope ann@example.com --product editor'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: change(staff, 'StaffView'),
    load: () => import('./rights.ts').then((actions) => actions.setUserScopes),
  },
];

export const commands: readonly CommandSpec[] = [...roleCommands, ...userCommands];
