import { change, page } from '../answers.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { madeSecretOptions } from '../made-secret-options.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#licensing/insight/honeypots/view.ts');

const honeypotGroup: GroupSpec = {
  path: 'honeypot',
  summary: 'manage canary keys that raise an alert when used',
};

const idArgument: ArgSpec = { name: 'id', summary: 'id of the honeypot' };
const hitFilters: readonly OptionSpec[] = [
  { name: 'ip', value: 'ADDRESS', summary: 'only from this address' },
  { name: 'endpoint', value: 'TEXT', summary: 'only at endpoints with this text in their path' },
  { name: 'machine', value: 'ID', summary: 'only with this machine id' },
  { name: 'since', value: '7d', summary: 'since then: a time ago such as 7d, or a date' },
  { name: 'until', value: 'TIME', summary: 'until then: a time ago, or a date including that day' },
  { name: 'q', value: 'TEXT', summary: 'only with this text in address, endpoint, machine or program' },
];

const output: CommandSpec['output'] = change(views, 'HoneypotMade');

export const groups: readonly GroupSpec[] = [honeypotGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'honeypot create',
    summary: 'create a canary key: whoever uses it has found or stolen it',
    description:
      'Every endpoint answers as if the key did not exist. The event HONEYPOT_TRIGGERED reports its use, once per address and hour. --block-ip then refuses that address.',
    options: [
      {
        name: 'product',
        value: 'SLUG',
        summary: 'product that the key appears to be for',
        required: true,
        complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
      },
      { name: 'label', value: 'TEXT', summary: 'where the key is planted', required: true },
      {
        name: 'key-format',
        value: 'FORMAT',
        summary: "format of the key; the product's by default",
        complete: () => import('../completers.ts').then((completers) => completers.completeKeyFormats),
      },
      {
        name: 'block-ip',
        value: 'SEC',
        summary: 'seconds to answer 429 to an address that used it; 0 for never',
        type: 'integer',
        min: 0,
        max: 86_400,
      },
      ...madeSecretOptions('the key'),
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl honeypot create --product editor --label "staging dump" --reveal',
      'appctl honeypot create --product editor --label wiki --block-ip 3600 --out canary.txt',
    ],
    confirm: 'mild',
    exits: [3, 5],
    output,
    load: () => import('./change.ts').then((actions) => actions.createHoneypot),
  },
  {
    path: 'honeypot list',
    summary: 'list canary keys, and replaced keys that became canary keys',
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl honeypot list'],
    output: page(views, 'HoneypotView'),
    load: () => import('./read.ts').then((actions) => actions.listHoneypots),
  },
  {
    path: 'honeypot hits',
    summary: 'list who used a honeypot, newest first',
    description:
      'One row per key, address and hour. Give the id of a license to see uses of its replaced keys.',
    args: [idArgument],
    options: [...hitFilters, ...pageOptions],
    runs: ['L', 'R'],
    examples: [
      'appctl honeypot hits lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
      'appctl honeypot hits lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --since 7d --ip 203.0.113.7',
      'appctl honeypot hits lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --csv > hits.csv',
    ],
    exits: [3],
    output: page(views, 'HitView'),
    load: () => import('./read.ts').then((actions) => actions.listHits),
  },
  {
    path: 'honeypot delete',
    summary: 'delete a canary key and the record of its uses',
    args: [idArgument],
    runs: ['L', 'R'],
    examples: ['appctl honeypot delete lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --yes'],
    confirm: 'moderate',
    exits: [3, 10],
    output,
    load: () => import('./change.ts').then((actions) => actions.deleteHoneypot),
  },
];
