import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

export const sampleGroup: GroupSpec = {
  path: 'store sample',
  summary: 'sample data: a shop to look at before there are products',
};

export const sampleCommands: readonly CommandSpec[] = [
  {
    path: 'store sample load',
    summary: 'fill the shop with sample data',
    description:
      'Sixty products with pictures, categories and collections. What is there already stays as it is, and loading it again changes nothing. A running server renders the pictures within some minutes.',
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
    description: 'Tells what was kept and why. What you made yourself stays.',
    runs: ['L', 'R'],
    examples: ['appctl store sample remove --dry-run', 'appctl store sample remove --yes'],
    confirm: 'moderate',
    exits: [4, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.SampleRemovedOutput),
    load: () => import('./sample.ts').then((actions) => actions.removeSample),
  },
];
