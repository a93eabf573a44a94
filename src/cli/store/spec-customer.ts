import { change, one, page } from '../answers.ts';
import { outOptions } from '../export/stream-options.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { storePageOptions } from '../paging.ts';

const views = () => import('#storefront/buying/customer-desk/view.ts');
const listed = () => import('#storefront/people/customers/index.ts');
const output = change(views, 'StoreCustomerDetailsView');

export const storeCustomerGroup: GroupSpec = { path: 'store customer', summary: 'customers of the shop' };

const customerArgument: ArgSpec = { name: 'customer', summary: 'id or email address of the customer' };
const filters: readonly OptionSpec[] = [
  { name: 'q', value: 'TEXT', summary: 'only those with TEXT in name, email, phone, or this order number' },
  { name: 'tag', value: 'TAG', summary: 'only those with this tag' },
  { name: 'group', value: 'ID', summary: 'only members of this group' },
  { name: 'accounts', summary: 'only those with an account', conflicts: ['guests'] },
  { name: 'guests', summary: 'only guests' },
];
const runs: CommandSpec['runs'] = ['L', 'R'];

export const storeCustomerCommands: readonly CommandSpec[] = [
  {
    path: 'store customer list',
    summary: 'list customers, newest first',
    options: [...filters, ...storePageOptions],
    runs,
    examples: [
      'appctl store customer list --accounts',
      'appctl store customer list --q ann@example.com --json | jq -r ".items[].id"',
    ],
    exits: [4],
    output: page(listed, 'StoreCustomerView'),
    load: () => import('./customers.ts').then((actions) => actions.listCustomers),
  },
  {
    path: 'store customer show',
    summary: 'show one customer with order totals',
    args: [customerArgument],
    runs,
    examples: ['appctl store customer show ann@example.com'],
    exits: [3, 4],
    output: one(views, 'StoreCustomerDetailsView'),
    load: () => import('./customers.ts').then((actions) => actions.showCustomer),
  },
  {
    path: 'store customer create',
    summary: 'add a customer with an account',
    options: [
      { name: 'email', value: 'EMAIL', summary: 'address to sign in with', required: true },
      { name: 'first-name', value: 'NAME', summary: 'first name' },
      { name: 'last-name', value: 'NAME', summary: 'last name' },
      { name: 'phone', value: 'PHONE', summary: 'phone number' },
      { name: 'tax-exempt', summary: 'the customer pays no tax' },
    ],
    runs,
    examples: ['appctl store customer create --email ann@example.com --first-name Ann'],
    confirm: 'mild',
    exits: [4, 5],
    output,
    load: () => import('./customers.ts').then((actions) => actions.createCustomer),
  },
  {
    path: 'store customer disable',
    summary: "end a customer's sessions and block sign-in to the account",
    args: [customerArgument],
    options: [{ name: 'reason', value: 'TEXT', summary: 'reason, stored in the audit log' }],
    runs,
    examples: ['appctl store customer disable ann@example.com --reason Chargebacks --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output,
    load: () => import('./customers.ts').then((actions) => actions.disableCustomer),
  },
  {
    path: 'store customer enable',
    summary: 'allow a customer to sign in again',
    args: [customerArgument],
    runs,
    examples: ['appctl store customer enable ann@example.com'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output,
    load: () => import('./customers.ts').then((actions) => actions.enableCustomer),
  },
  {
    path: 'store customer merge',
    summary: 'merge another customer into this one',
    description:
      'Orders, cart, notes, groups and gift cards of SOURCE are moved. SOURCE is anonymized and can no longer sign in. This cannot be undone.',
    args: [
      { name: 'customer', summary: 'id or email address of the customer to keep' },
      { name: 'source', summary: 'id or email address of the customer to merge into it' },
    ],
    runs,
    examples: ['appctl store customer merge ann@example.com cst_01KAFZ8R3M5S1T8V2W9X4Y7Z6A --yes'],
    confirm: 'severe',
    exits: [3, 4, 5, 10],
    output,
    load: () => import('./customers.ts').then((actions) => actions.mergeCustomers),
  },
  {
    path: 'store customer erase',
    summary: "erase a customer's personal data for good",
    description: 'Name, addresses, phone, notes and sessions are removed. Orders, invoices and amounts stay.',
    args: [customerArgument],
    runs,
    examples: ['appctl store customer erase ann@example.com --yes'],
    confirm: 'severe',
    exits: [3, 4, 5, 10],
    output,
    load: () => import('./customers.ts').then((actions) => actions.eraseCustomer),
  },
  {
    path: 'store customer export',
    summary: 'write customers to a CSV file that can be imported again',
    options: [...filters, ...outOptions],
    runs,
    examples: ['appctl store customer export --accounts --out customers.csv'],
    exits: [4, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.CustomerExportOutput),
    load: () => import('./customers.ts').then((actions) => actions.exportCustomers),
  },
  {
    path: 'store customer import',
    summary: 'create and change customers from a CSV file',
    description:
      'Columns: email, first_name, last_name, phone, locale, accepts_marketing, tags, groups, tax_exempt, tax_id, note. Customers are matched by email address. Empty cells change nothing. Each line is its own transaction. Try --dry-run first.',
    args: [{ name: 'file', summary: 'file to read; - is stdin', complete: 'file' }],
    runs,
    examples: ['appctl store customer import customers.csv --dry-run'],
    confirm: 'mild',
    exits: [4, 7],
    output: () => import('./schemas.ts').then((schemas) => schemas.StoreImportOutput),
    load: () => import('./customers.ts').then((actions) => actions.importCustomers),
  },
];
