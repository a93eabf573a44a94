import { change, one, page } from '../answers.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#platform/tenants/view.ts');

const tenantGroup: GroupSpec = {
  path: 'tenant',
  summary: 'manage separate vendors on one installation',
};

const tenantArgument: ArgSpec = { name: 'tenant', summary: 'slug or id of the tenant' };
const hostname: OptionSpec = {
  name: 'hostname',
  value: 'NAME',
  summary: 'host name of this tenant',
  repeat: true,
};

export const groups: readonly GroupSpec[] = [tenantGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'tenant create',
    summary: 'create a tenant',
    options: [
      { name: 'slug', value: 'SLUG', summary: 'short name, used by --tenant', required: true },
      { name: 'name', value: 'NAME', summary: 'display name', required: true },
      hostname,
    ],
    runs: ['L', 'R'],
    examples: ['appctl tenant create --slug acme --name "Acme Inc." --hostname keys.acme.example'],
    confirm: 'mild',
    exits: [4, 5],
    output: change(views, 'TenantView'),
    load: () => import('./change.ts').then((actions) => actions.createTenant),
  },
  {
    path: 'tenant list',
    summary: 'list the tenants',
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl tenant list'],
    exits: [4],
    output: page(views, 'TenantView'),
    load: () => import('./read.ts').then((actions) => actions.listTenants),
  },
  {
    path: 'tenant show',
    summary: 'show one tenant',
    args: [tenantArgument],
    runs: ['L', 'R'],
    examples: ['appctl tenant show acme'],
    exits: [3, 4],
    output: one(views, 'TenantView'),
    load: () => import('./read.ts').then((actions) => actions.showTenant),
  },
  {
    path: 'tenant update',
    summary: 'change a tenant',
    description: '--hostname replaces all host names that the tenant has.',
    args: [tenantArgument],
    options: [
      { name: 'slug', value: 'SLUG', summary: 'new slug' },
      { name: 'name', value: 'NAME', summary: 'new name' },
      hostname,
      { name: 'key-format', value: 'FORMAT', summary: 'default key format of its products' },
      {
        name: 'clear',
        value: 'FIELD',
        summary: 'clear this field',
        choices: ['hostname', 'key-format'],
        repeat: true,
      },
    ],
    runs: ['L', 'R'],
    examples: ['appctl tenant update acme --key-format long'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'TenantView'),
    load: () => import('./change.ts').then((actions) => actions.updateTenant),
  },
  {
    path: 'tenant suspend',
    summary: 'suspend a tenant: its API keys get 403, its data stays',
    args: [tenantArgument],
    runs: ['L', 'R'],
    examples: ['appctl tenant suspend acme --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: change(views, 'TenantView'),
    load: () => import('./change.ts').then((actions) => actions.suspendTenant),
  },
  {
    path: 'tenant resume',
    summary: 'resume a suspended tenant',
    args: [tenantArgument],
    runs: ['L', 'R'],
    examples: ['appctl tenant resume acme'],
    confirm: 'mild',
    exits: [3, 4],
    output: change(views, 'TenantView'),
    load: () => import('./change.ts').then((actions) => actions.resumeTenant),
  },
];
