import { change, one, page } from '../answers.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#licensing/catalog/customers/view.ts');
const dataViews = () => import('#licensing/licenses/holders/view.ts');

const customerGroup: GroupSpec = { path: 'customer', summary: 'manage people who hold licenses' };

export const groups: readonly GroupSpec[] = [customerGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'customer list',
    summary: 'list the customers with their licenses',
    options: [
      { name: 'q', value: 'TEXT', summary: 'only those with TEXT in email address or name' },
      ...pageOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl customer list',
      'appctl customer list --q example.com --json | jq -r ".items[].email"',
    ],
    exits: [4],
    output: page(views, 'CustomerView'),
    load: () => import('./read.ts').then((actions) => actions.listCustomers),
  },
  {
    path: 'customer show',
    summary: 'show one customer with their licenses',
    args: [{ name: 'customer', summary: 'email address or id' }],
    runs: ['L', 'R'],
    examples: ['appctl customer show ann@example.com'],
    exits: [3, 4],
    output: one(views, 'CustomerView'),
    load: () => import('./read.ts').then((actions) => actions.showCustomer),
  },
  {
    path: 'customer create',
    summary: 'create a customer; minting a license does that too',
    options: [
      { name: 'email', value: 'ADDRESS', summary: 'email address', required: true },
      { name: 'name', value: 'NAME', summary: 'name of the person or company' },
      { name: 'meta', value: 'K=V', summary: 'metadata', repeat: true },
    ],
    runs: ['L', 'R'],
    examples: ['appctl customer create --email ann@example.com --name "Ann Example"'],
    confirm: 'mild',
    exits: [4, 5],
    output: change(views, 'CustomerView'),
    load: () => import('./change.ts').then((actions) => actions.createCustomer),
  },
  {
    path: 'customer update',
    summary: 'change email address, name or metadata',
    description: '--meta replaces all metadata.',
    args: [{ name: 'customer', summary: 'email address or id' }],
    options: [
      { name: 'email', value: 'ADDRESS', summary: 'new email address' },
      { name: 'name', value: 'NAME', summary: 'new name' },
      { name: 'meta', value: 'K=V', summary: 'metadata', repeat: true },
      { name: 'clear', value: 'FIELD', summary: 'clear this field', choices: ['name', 'meta'], repeat: true },
    ],
    runs: ['L', 'R'],
    examples: ['appctl customer update ann@example.com --email ann@example.org'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'CustomerView'),
    load: () => import('./change.ts').then((actions) => actions.updateCustomer),
  },
  {
    path: 'customer merge',
    summary: 'merge one customer into another: all licenses move, and the first is removed',
    args: [
      { name: 'customer', summary: 'email address or id of the customer to remove' },
      { name: 'into', summary: 'email address or id of the customer to keep' },
    ],
    runs: ['L', 'R'],
    examples: ['appctl customer merge ann@old.example ann@example.com --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: change(views, 'CustomerMerged'),
    load: () => import('./change.ts').then((actions) => actions.mergeCustomers),
  },
  {
    path: 'customer export',
    summary: 'write everything that is stored about one customer, as JSON',
    description:
      'Includes the customer, their licenses with masked keys (also those in the trash), and every machine and timeline.',
    args: [{ name: 'customer', summary: 'email address or id' }],
    options: [
      { name: 'out', value: 'FILE', summary: 'file to write instead of stdout', complete: 'file' },
      { name: 'force', summary: 'replace an existing file' },
    ],
    runs: ['L', 'R'],
    examples: ['appctl customer export ann@example.com --out ann.json'],
    exits: [3, 4, 5],
    output: one(dataViews, 'CustomerDataView'),
    load: () => import('./read.ts').then((actions) => actions.exportCustomer),
  },
  {
    path: 'customer erase',
    summary: "erase a customer's personal data; the licenses stay",
    description:
      'Removes email address, name and metadata, and the address in the timelines of the licenses. This cannot be undone.',
    args: [{ name: 'customer', summary: 'email address or id' }],
    runs: ['L', 'R'],
    examples: ['appctl customer erase ann@example.com --confirm ann@example.com'],
    confirm: 'severe',
    exits: [3, 4, 10],
    output: change(views, 'CustomerErased'),
    load: () => import('./change.ts').then((actions) => actions.eraseCustomer),
  },
];
