import { change, one, result } from '../answers.ts';
import {
  grantEndEffects,
  grantQuantityModes,
  licenseTiers,
  licenseTypes,
  refundEffects,
} from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec } from '../frame/spec.ts';

const views = () => import('#fulfilment/grants/view.ts');

export const variantGroups: readonly GroupSpec[] = [
  { path: 'store variant', summary: 'variants of the products of the shop' },
  { path: 'store variant license', summary: 'the license that a variant is sold with' },
];

const variant: ArgSpec = { name: 'variant', summary: 'SKU or id of the variant' };

export const variantCommands: readonly CommandSpec[] = [
  {
    path: 'store variant license show',
    summary: 'show the license that a variant is sold with',
    args: [variant],
    runs: ['L', 'R'],
    examples: ['appctl store variant license show EDITOR-PRO'],
    exits: [3, 4],
    output: one(views, 'LicenseGrantView'),
    load: () => import('./variant-license.ts').then((actions) => actions.showVariantLicense),
  },
  {
    path: 'store variant license set',
    summary: 'choose the license that a variant is sold with',
    description:
      'Replaces the license it had: what you leave out has no limit, or gets the default. Existing orders keep theirs. TRIAL and SUBSCRIPTION need --days; PERPETUAL does not take it.',
    args: [variant],
    options: [
      {
        name: 'product',
        value: 'SLUG',
        summary: 'slug or id of the license product',
        required: true,
        complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
      },
      { name: 'type', value: 'TYPE', summary: 'type', choices: licenseTypes, default: 'PERPETUAL' },
      { name: 'tier', value: 'TIER', summary: 'tier', choices: licenseTiers, default: 'PERSONAL' },
      {
        name: 'policy',
        value: 'POLICY',
        summary: "name or id; else the license product's policy",
        complete: () => import('../completers.ts').then((completers) => completers.completePolicies),
      },
      {
        name: 'days',
        value: 'N',
        summary: 'days from the payment on; never expires by default',
        type: 'integer',
        min: 1,
        max: 36_500,
      },
      {
        name: 'max-activations',
        value: 'N',
        summary: 'number of machines or seats per unit',
        type: 'integer',
        min: 1,
        max: 1000,
      },
      { name: 'max-uses', value: 'N', summary: 'number of uses', type: 'integer', min: 0 },
      { name: 'max-version', value: 'V', summary: 'newest version it covers, such as 2 or 2.4' },
      { name: 'features', value: 'JSON|@FILE', summary: 'features as a JSON object' },
      {
        name: 'quantity',
        value: 'MODE',
        summary: 'what several units buy: keys, or seats of one key',
        choices: grantQuantityModes,
      },
      {
        name: 'on-refund',
        value: 'EFFECT',
        summary: 'what a refund does; the setting license_default_on_refund by default',
        choices: refundEffects,
      },
      {
        name: 'on-subscription-end',
        value: 'EFFECT',
        summary: 'what the end of a subscription does',
        choices: grantEndEffects,
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl store variant license set EDITOR-PRO --product editor --tier PROFESSIONAL --max-activations 3',
      'appctl store variant license set EDITOR-TEAM --product editor --type FLOATING --max-activations 5 --quantity seats',
    ],
    confirm: 'mild',
    exits: [3, 4],
    output: change(views, 'LicenseGrantView'),
    load: () => import('./variant-license.ts').then((actions) => actions.setVariantLicense),
  },
  {
    path: 'store variant license remove',
    summary: 'sell a variant without a license from now on',
    description: 'Licenses of orders stay. A published license product must be made a draft first.',
    args: [variant],
    runs: ['L', 'R'],
    examples: ['appctl store variant license remove EDITOR-PRO --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: result('removed'),
    load: () => import('./variant-license.ts').then((actions) => actions.removeVariantLicense),
  },
];
