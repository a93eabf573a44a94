import { change, page, withSecret } from '../answers.ts';
import { adminRoles } from '../choices.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { madeSecretOptions } from '../made-secret-options.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#platform/admin-tokens/view.ts');

const adminGroup: GroupSpec = { path: 'admin', summary: 'manage staff, roles and tokens' };
const adminTokenGroup: GroupSpec = {
  path: 'admin token',
  summary: 'bearer tokens that give programs access to the admin API',
};

export const groups: readonly GroupSpec[] = [adminGroup, adminTokenGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'admin token create',
    summary: 'create a bearer token for the admin API',
    description:
      'The token works for the tenant in --tenant, or for every tenant with --instance. Its role decides what it may do: owner has every permission; licensing has the whole license service except purging and tenants; manager and support read and change but never see secrets; viewer only reads; vendor only works with its own products and needs --product. appctl admin role list shows all roles. With --product the token cannot see or change other products. The secret is shown once: on a terminal, with --json or --reveal, or in the --out file. Only a hash is stored, so nobody can read it again.',
    options: [
      { name: 'name', value: 'NAME', summary: 'name that says what it is for', required: true },
      {
        name: 'role',
        value: 'ROLE',
        summary: `what it may do: ${adminRoles.join(', ')}, or a custom role`,
        required: true,
      },
      { name: 'product', value: 'SLUG', summary: 'only this product', repeat: true },
      { name: 'instance', summary: 'give access to every tenant; requests choose one with X-Tenant' },
      {
        name: 'expires',
        value: '90d|DATE',
        summary: 'when it expires: after this time, or at the end of this day',
      },
      ...madeSecretOptions('the token'),
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl admin token create --name deploy --role licensing --expires 90d --out admin.token',
      'appctl admin token create --name ci --role viewer --json | jq -r .secret',
      'appctl admin token create --name shop --role vendor --product editor --out shop.token',
      'appctl admin token create --name operations --role owner --instance --reveal',
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: withSecret(views, 'AdminTokenView'),
    load: () => import('./change.ts').then((actions) => actions.createAdminToken),
  },
  {
    path: 'admin token list',
    summary: 'list the tokens for this tenant, including those for every tenant',
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl admin token list', 'appctl admin token list --json | jq -r ".items[].id"'],
    output: page(views, 'AdminTokenView'),
    load: () => import('./read.ts').then((actions) => actions.listAdminTokens),
  },
  {
    path: 'admin token revoke',
    summary: 'revoke a token immediately and for good',
    args: [{ name: 'id', summary: 'id of the token, as admin token list shows it' }],
    runs: ['L', 'R'],
    examples: ['appctl admin token revoke adt_01J9ZK3T5W8Y2QF4M6N7P0R1SV --yes'],
    confirm: 'moderate',
    exits: [3, 4, 10],
    output: change(views, 'AdminTokenView'),
    load: () => import('./change.ts').then((actions) => actions.revokeAdminToken),
  },
];
