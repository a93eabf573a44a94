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
    summary: 'say with what license a variant is sold',
    description:
      'Replaces the license that it had: what is left out has no limit, or is the default. Orders that are made already keep theirs. TRIAL and SUBSCRIPTION need --days; PERPETUAL takes none.',
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
        summary: 'days from the payment on; else without an end',
        type: 'integer',
        min: 1,
        max: 36_500,
      },
      {
        name: 'max-activations',
        value: 'N',
        summary: 'machines or seats of one unit',
        type: 'integer',
        min: 1,
        max: 1000,
      },
      { name: 'max-uses', value: 'N', summary: 'uses that it has', type: 'integer', min: 0 },
      { name: 'max-version', value: 'V', summary: 'newest version that it opens, like 2 or 2.4' },
      { name: 'features', value: 'JSON|@FILE', summary: 'features as a JSON object' },
      {
        name: 'quantity',
        value: 'MODE',
        summary: 'what several units are: keys, or seats of one key',
        choices: grantQuantityModes,
      },
      {
        name: 'on-refund',
        value: 'EFFECT',
        summary: 'what a refund does; else as the setting license_default_on_refund says',
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
    description: 'Licenses of orders stay. A published product of licenses has to be a draft first.',
    args: [variant],
    runs: ['L', 'R'],
    examples: ['appctl store variant license remove EDITOR-PRO --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: result('removed'),
    load: () => import('./variant-license.ts').then((actions) => actions.removeVariantLicense),
  },
];
