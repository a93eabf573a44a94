import { one } from '../answers.ts';
import { releaseChannels, releaseStates } from '../choices.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';
import { productOption, releaseArgument, targetOptions } from './spec-options.ts';

/** Commands that change nothing. */
const views = () => import('#licensing/releases/releases/view.ts');

export const readCommands: readonly CommandSpec[] = [
  {
    path: 'release list',
    summary: 'list the releases, newest first',
    options: [
      productOption('only releases of this product', false),
      { name: 'channel', value: 'CHANNEL', summary: 'only this channel', choices: releaseChannels },
      { name: 'state', value: 'STATE', summary: 'only this state', choices: releaseStates },
      ...targetOptions.map((option) => ({ ...option, summary: `only this ${option.name}` })),
      ...pageOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl release list --product editor',
      'appctl release list --product editor --channel stable --state PUBLISHED --json | jq -r ".items[].version"',
    ],
    exits: [3, 4],
    output: () => import('./schemas-release.ts').then((schemas) => schemas.ReleasePage),
    load: () => import('./read.ts').then((actions) => actions.listReleases),
  },
  {
    path: 'release show',
    summary: 'show one release',
    args: [releaseArgument],
    runs: ['L', 'R'],
    examples: ['appctl release show rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV'],
    exits: [3, 4],
    output: () => import('./schemas-release.ts').then((schemas) => schemas.ReleaseShape),
    load: () => import('./read.ts').then((actions) => actions.showRelease),
  },
  {
    path: 'release stats',
    summary: 'show how often a release was asked about, offered and downloaded',
    args: [releaseArgument],
    runs: ['L', 'R'],
    examples: ['appctl release stats rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV --json | jq .downloads'],
    exits: [3, 4],
    output: one(views, 'ReleaseStatsView'),
    load: () => import('./read.ts').then((actions) => actions.showReleaseStats),
  },
];
