import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

export const customerGroup: GroupSpec = { path: 'customer', summary: 'people who hold licenses' };

export const customerCommands: readonly CommandSpec[] = [
  {
    path: 'customer list',
    summary: 'list the customers with their licenses',
    options: [
      { name: 'q', value: 'TEXT', summary: 'only those with TEXT in address or name' },
      ...pageOptions,
    ],
    runs: ['L'],
    examples: [
      'appctl customer list',
      'appctl customer list --q example.com --json | jq -r ".items[].email"',
    ],
    output: () => import('./schemas.ts').then((schemas) => schemas.CustomerPage),
    load: () => import('./read.ts').then((actions) => actions.listCustomers),
  },
  {
    path: 'customer show',
    summary: 'show one customer with their licenses',
    args: [{ name: 'customer', summary: 'e-mail address or id' }],
    runs: ['L'],
    examples: ['appctl customer show ann@example.com'],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.CustomerShape),
    load: () => import('./read.ts').then((actions) => actions.showCustomer),
  },
];
