import { one, page } from '../answers.ts';
import { shopProductStatuses, shopProductTypes } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { storePageOptions } from '../paging.ts';

const views = () => import('#storefront/catalog/products/view.ts');

export const storeProductGroup: GroupSpec = { path: 'store product', summary: 'products of the shop' };

const productArgument: ArgSpec = {
  name: 'product',
  summary: 'slug, id or SKU of the product',
  complete: () => import('./completers.ts').then((completers) => completers.completeStoreProducts),
};

/** By what lists and exports are narrowed. */
export const productFilters: readonly OptionSpec[] = [
  { name: 'status', value: 'STATUS', summary: 'only those in this status', choices: shopProductStatuses },
  { name: 'type', value: 'TYPE', summary: 'only those of this type', choices: shopProductTypes },
  { name: 'q', value: 'TEXT', summary: 'only those with TEXT in title, slug or SKU' },
  {
    name: 'category',
    value: 'CATEGORY',
    summary: 'only those in this category and below it: slug, path or id',
    complete: () => import('./completers.ts').then((completers) => completers.completeCategories),
  },
  { name: 'tag', value: 'TAG', summary: 'only those with this tag' },
];

export const productCommands: readonly CommandSpec[] = [
  {
    path: 'store product list',
    summary: 'list the products of the shop, newest first',
    options: [...productFilters, ...storePageOptions],
    runs: ['L', 'R'],
    examples: [
      'appctl store product list',
      'appctl store product list --status draft --json | jq -r ".items[].slug"',
      'appctl store product list --category outdoor --tag sale',
    ],
    exits: [3, 4],
    output: page(views, 'StoreProductView'),
    load: () => import('./read.ts').then((actions) => actions.listStoreProducts),
  },
  {
    path: 'store product show',
    summary: 'show one product with its options and variants',
    args: [productArgument],
    runs: ['L', 'R'],
    examples: ['appctl store product show enamel-mug', 'appctl store product show MUG-BLUE --json'],
    exits: [3, 4],
    output: one(views, 'StoreProductView'),
    load: () => import('./read.ts').then((actions) => actions.showStoreProduct),
  },
  {
    path: 'store product set-status',
    summary: 'publish products, archive them, or make them drafts again',
    description:
      'A product is shown in the shop while it is active. It needs a variant, and a type that can be sold. Archiving asks first.',
    args: [
      { name: 'status', summary: 'draft, active or archived', choices: shopProductStatuses },
      { ...productArgument, variadic: true },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl store product set-status active enamel-mug',
      'appctl store product set-status archived enamel-mug wool-blanket --yes',
    ],
    confirm: 'moderate',
    exits: [3, 4, 5, 7, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.StoreProductOrBatch),
    load: () => import('./status.ts').then((actions) => actions.setProductStatus),
  },
];

// Here, because each file of this kind is read by every short command.
export const sampleGroup: GroupSpec = {
  path: 'store sample',
  summary: 'sample data: a shop to look at before there are products',
};

export const sampleCommands: readonly CommandSpec[] = [
  {
    path: 'store sample load',
    summary: 'fill the shop with sample data',
    description:
      'Adds sixty products with pictures, categories and collections. Existing data stays as it is, and loading again changes nothing. A running server renders the pictures within a few minutes.',
    runs: ['L', 'R'],
    examples: ['appctl store sample load'],
    confirm: 'mild',
    exits: [4, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.SampleOutput),
    load: () => import('./sample.ts').then((actions) => actions.loadSample),
  },
  {
    path: 'store sample remove',
    summary: 'remove the sample data that nobody has changed since',
    description: 'Reports what was kept and why. What you created yourself stays.',
    runs: ['L', 'R'],
    examples: ['appctl store sample remove --dry-run', 'appctl store sample remove --yes'],
    confirm: 'moderate',
    exits: [4, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.SampleRemovedOutput),
    load: () => import('./sample.ts').then((actions) => actions.removeSample),
  },
];
