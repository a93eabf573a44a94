import { change, page, withSecret } from '../answers.ts';
import { adminRoles } from '../choices.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { madeSecretOptions } from '../made-secret-options.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#platform/admin-tokens/view.ts');

const adminGroup: GroupSpec = { path: 'admin', summary: 'manage staff, roles and tokens' };
const adminTokenGroup: GroupSpec = {
  path: 'admin token',
  summary: 'bearer tokens that programs open the admin API with',
};

export const groups: readonly GroupSpec[] = [adminGroup, adminTokenGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'admin token create',
    summary: 'create a bearer token of the admin API',
    description:
      'The token acts for the tenant of --tenant, or with --instance for every tenant. Its role decides what it may do: owner everything; licensing all of the license service but purging and tenants; manager and support read and change without seeing secrets; viewer reads; vendor works with its products alone and needs --product. appctl admin role list shows them all. With --product the token sees and changes nothing of other products. The secret is shown once: on a terminal, with --json or --reveal, or in the file of --out. It is stored as a hash only, so nobody can read it again.',
    options: [
      { name: 'name', value: 'NAME', summary: 'what it is for', required: true },
      {
        name: 'role',
        value: 'ROLE',
        summary: `what it may do: ${adminRoles.join(', ')}, or a role of your own`,
        required: true,
      },
      { name: 'product', value: 'SLUG', summary: 'only this product; repeat for several', repeat: true },
      { name: 'instance', summary: 'opens every tenant, which requests name by X-Tenant' },
      { name: 'expires', value: '90d|DATE', summary: 'ends after this time, or with this day' },
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
    summary: 'list the tokens that open this tenant, those of every tenant among them',
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl admin token list', 'appctl admin token list --json | jq -r ".items[].id"'],
    output: page(views, 'AdminTokenView'),
    load: () => import('./read.ts').then((actions) => actions.listAdminTokens),
  },
  {
    path: 'admin token revoke',
    summary: 'end a token at once, for good',
    args: [{ name: 'id', summary: 'id of the token, as admin token list shows it' }],
    runs: ['L', 'R'],
    examples: ['appctl admin token revoke adt_01J9ZK3T5W8Y2QF4M6N7P0R1SV --yes'],
    confirm: 'moderate',
    exits: [3, 4, 10],
    output: change(views, 'AdminTokenView'),
    load: () => import('./change.ts').then((actions) => actions.revokeAdminToken),
  },
];
