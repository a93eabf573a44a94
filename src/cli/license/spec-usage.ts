import { change, one, page } from '../answers.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { ArgSpec, CommandSpec, GroupSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#licensing/licenses/usage/view.ts');

const idArgument: ArgSpec = { name: 'id', summary: 'id of the license' };
/** A key is a secret: it comes from a file or a pipe, never from the command line. */
const keyOptions = secretOptions('key', 'the license key', ['file', 'stdin']);

const output: CommandSpec['output'] = change(views, 'UsageView');

export const usageGroup: GroupSpec = {
  path: 'license usage',
  summary: 'how much of its limit a license has used',
};

export const usageCommands: readonly CommandSpec[] = [
  {
    path: 'license usage show',
    summary: 'show what a license has used, and by which feature',
    description:
      'Features are counted since the last reset or set. Without a limit max, remaining and percentUsed are null.',
    args: [{ ...idArgument, optional: true }],
    options: keyOptions,
    runs: ['L', 'R'],
    examples: [
      'appctl license usage show lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
      'appctl license usage show --key-stdin --json < key.txt | jq .byFeature',
    ],
    exits: [3, 4],
    output: one(views, 'UsageView'),
    load: () => import('./usage.ts').then((actions) => actions.showUsage),
  },
  {
    path: 'license usage list',
    summary: 'list the counted calls of a license, newest first',
    args: [{ ...idArgument, optional: true }],
    options: [...keyOptions, ...pageOptions],
    runs: ['L', 'R'],
    examples: ['appctl license usage list lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --limit 500 --csv > usage.csv'],
    exits: [3, 4],
    output: page(views, 'UsageRecordView'),
    load: () => import('./usage.ts').then((actions) => actions.listUsage),
  },
  {
    path: 'license usage reset',
    summary: 'reset the usage counter of a license to 0',
    description: 'Webhooks get the event USAGE_RESET. The records stay; a counter at 0 stays as it is.',
    args: [idArgument],
    runs: ['L', 'R'],
    examples: ['appctl license usage reset lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --yes'],
    confirm: 'moderate',
    exits: [3, 10],
    output,
    load: () => import('./usage.ts').then((actions) => actions.resetUsage),
  },
  {
    path: 'license usage set',
    summary: 'set the counter of a license',
    description: 'The number may exceed the limit. The timeline records it; webhooks are not sent.',
    args: [idArgument, { name: 'n', summary: 'number of uses to set, from 0' }],
    runs: ['L', 'R'],
    examples: ['appctl license usage set lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV 250 --yes'],
    confirm: 'moderate',
    exits: [3, 10],
    output,
    load: () => import('./usage.ts').then((actions) => actions.setUsage),
  },
];
