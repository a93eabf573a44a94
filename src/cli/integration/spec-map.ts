import { licenseTiers } from '../choices.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';
import { integrationArgument } from './arguments.ts';
import { mappedTypes, quantityModes, refundActions } from './choices.ts';

export const mappingCommands: readonly CommandSpec[] = [
  {
    path: 'integration map',
    summary: 'map a product of the processor to licenses',
    description:
      'Mapping an external id again changes only what you give. A new mapping takes what you leave out from the product: type, activations and days.',
    args: [integrationArgument],
    options: [
      {
        name: 'external',
        value: 'ID',
        summary: 'product or price id at the processor',
        required: true,
      },
      {
        name: 'product',
        value: 'SLUG',
        summary: 'product to create licenses for',
        required: true,
        complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
      },
      { name: 'type', value: 'TYPE', summary: 'type of the licenses', choices: mappedTypes },
      { name: 'tier', value: 'TIER', summary: 'tier of the licenses', choices: licenseTiers },
      {
        name: 'max-activations',
        value: 'N',
        summary: 'machines per license',
        type: 'integer',
        min: 1,
        max: 1000,
      },
      {
        name: 'days',
        value: 'N',
        summary: 'days that the license lasts from the purchase',
        type: 'integer',
        min: 1,
        max: 3660,
        conflicts: ['perpetual'],
      },
      {
        name: 'perpetual',
        summary: 'licenses that never expire; PERPETUAL unless --type says otherwise',
        conflicts: ['days'],
      },
      {
        name: 'policy',
        value: 'POLICY',
        summary: 'policy of the licenses, by id or name',
        complete: () => import('../completers.ts').then((completers) => completers.completePolicies),
      },
      {
        name: 'quantity-mode',
        value: 'MODE',
        summary: 'what a quantity of n buys: n licenses, or one license with n times the seats',
        choices: Object.keys(quantityModes),
      },
      {
        name: 'on-refund',
        value: 'ACTION',
        summary: 'what a full refund does to the licenses',
        choices: Object.keys(refundActions),
      },
      { name: 'clear', value: 'FIELD', summary: 'clear a field', choices: ['policy'], repeat: true },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl integration map stripe --external price_1Nx --product editor --type SUBSCRIPTION --days 365',
      'appctl integration map shop --external plan_1 --product editor --perpetual --on-refund revoke',
      'appctl integration map shop --external team --product editor --quantity-mode seats --max-activations 5',
    ],
    confirm: 'mild',
    exits: [3, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.MappingPlan),
    load: () => import('./map.ts').then((actions) => actions.mapIntegration),
  },
  {
    path: 'integration mappings',
    summary: 'list the mappings of an integration',
    args: [integrationArgument],
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl integration mappings stripe'],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.MappingPage),
    load: () => import('./read.ts').then((actions) => actions.listIntegrationMappings),
  },
  {
    path: 'integration unmap',
    summary: 'remove a mapping',
    args: [integrationArgument],
    options: [
      {
        name: 'external',
        value: 'ID',
        summary: 'product or price id at the processor, or id of the mapping',
        required: true,
      },
    ],
    runs: ['L', 'R'],
    examples: ['appctl integration unmap stripe --external price_1Nx --yes'],
    confirm: 'moderate',
    exits: [3, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.MappingPlan),
    load: () => import('./map.ts').then((actions) => actions.unmapIntegration),
  },
];
