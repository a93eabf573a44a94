import { change, one, page } from '../answers.ts';
import { licenseTypes, licensingModes, productStatuses, productTypes } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#licensing/catalog/products/view.ts');

const productGroup: GroupSpec = { path: 'product', summary: 'manage the products that licenses are for' };

const productArgument: ArgSpec = {
  name: 'product',
  summary: 'slug or id of the product',
  complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
};

/** What create and update share. */
const rules: readonly OptionSpec[] = [
  { name: 'type', value: 'TYPE', summary: 'kind of program', choices: productTypes },
  {
    name: 'licensing-mode',
    value: 'MODE',
    summary: 'how applications enforce licenses',
    choices: licensingModes,
  },
  {
    name: 'default-type',
    value: 'TYPE',
    summary: 'default type of its licenses',
    choices: licenseTypes,
  },
  {
    name: 'default-max-activations',
    value: 'N',
    summary: 'default number of machines of its licenses',
    type: 'integer',
    min: 1,
    max: 1000,
  },
  {
    name: 'default-days',
    value: 'N',
    summary: 'days that a time-limited license lasts by default',
    type: 'integer',
    min: 1,
    max: 3660,
  },
  {
    name: 'policy',
    value: 'POLICY',
    summary: 'name or id of the policy of its licenses',
    complete: () => import('../completers.ts').then((completers) => completers.completePolicies),
  },
  {
    name: 'key-format',
    value: 'FORMAT',
    summary: 'name or id of the format of its license keys',
    complete: () => import('../completers.ts').then((completers) => completers.completeKeyFormats),
  },
];

const meta: OptionSpec = { name: 'meta', value: 'NAME=VALUE', summary: 'metadata', repeat: true };

/** Bare they mean yes. */
const switches: readonly OptionSpec[] = [
  {
    name: 'prerelease-needs-beta',
    summary: 'offer channels other than stable only to BETA licenses and those with the feature prerelease',
  },
  {
    name: 'critical-updates-for-expired',
    summary: 'also offer critical releases to EXPIRED licenses',
  },
  { name: 'statement-required', summary: 'publish only releases with a signed statement' },
].map((one) => ({ ...one, value: 'YES|NO', choices: ['yes', 'no'], optionalValue: true }));

/** The three commands that move a product to a status. */
const statusCommands: readonly CommandSpec[] = (
  [
    ['deprecate', 'stop selling a product; its licenses keep working'],
    ['discontinue', 'discontinue a product; its licenses keep working'],
    ['activate', 'sell a product again'],
  ] as const
).map(([verb, summary]) => ({
  path: `product ${verb}`,
  summary,
  args: [productArgument],
  runs: ['L', 'R'],
  examples: [`appctl product ${verb} editor`],
  confirm: 'mild',
  exits: [3, 4],
  output: change(views, 'ProductView'),
  load: () => import('./status.ts').then((actions) => actions.statusAction(verb)),
}));

export const groups: readonly GroupSpec[] = [productGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'product create',
    summary: 'create a product',
    description: 'By default: type DESKTOP, mode STANDARD, PERPETUAL licenses for one machine.',
    options: [
      { name: 'name', value: 'NAME', summary: 'name that people see', required: true },
      {
        name: 'slug',
        value: 'SLUG',
        summary: 'short name for commands and addresses: lower-case words joined by hyphens',
        required: true,
      },
      ...rules,
      ...switches,
      meta,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl product create --name Editor --slug editor',
      'appctl product create --name "Editor Cloud" --slug editor-cloud --type WEB --default-type SUBSCRIPTION --default-days 365 --json | jq -r .id',
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'ProductView'),
    load: () => import('./change.ts').then((actions) => actions.createProduct),
  },
  {
    path: 'product list',
    summary: 'list the products',
    options: [
      { name: 'status', value: 'STATUS', summary: 'only those in this status', choices: productStatuses },
      { name: 'q', value: 'TEXT', summary: 'only those with TEXT in name or slug' },
      ...pageOptions,
    ],
    runs: ['L', 'R'],
    examples: ['appctl product list', 'appctl product list --status ACTIVE --json | jq -r ".items[].slug"'],
    exits: [4],
    output: page(views, 'ProductView'),
    load: () => import('./read.ts').then((actions) => actions.listProducts),
  },
  {
    path: 'product show',
    summary: 'show one product',
    args: [productArgument],
    runs: ['L', 'R'],
    examples: ['appctl product show editor'],
    exits: [3, 4],
    output: one(views, 'ProductView'),
    load: () => import('./read.ts').then((actions) => actions.showProduct),
  },
  {
    path: 'product update',
    summary: 'change a product',
    description: 'Defaults apply to new licenses; a policy of the product applies to its licenses at once.',
    args: [productArgument],
    options: [
      { name: 'name', value: 'NAME', summary: 'new name' },
      { name: 'slug', value: 'SLUG', summary: 'new short name' },
      ...rules,
      ...switches,
      { ...meta, summary: 'metadata; replaces all of it' },
      {
        name: 'clear',
        value: 'FIELD',
        summary: 'clear a value',
        choices: ['default-days', 'policy', 'key-format', 'meta'],
        repeat: true,
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl product update editor --default-max-activations 3',
      'appctl product update editor --statement-required yes --meta team=desktop',
      'appctl product update editor --clear policy',
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'ProductView'),
    load: () => import('./change.ts').then((actions) => actions.updateProduct),
  },
  ...statusCommands,
  {
    path: 'product delete',
    summary: 'delete a product that never had a license, with its signing keys',
    args: [productArgument],
    runs: ['L', 'R'],
    examples: ['appctl product delete editor --confirm editor'],
    confirm: 'severe',
    exits: [3, 4, 5, 10],
    output: change(views, 'ProductView'),
    load: () => import('./status.ts').then((actions) => actions.deleteProduct),
  },
];
