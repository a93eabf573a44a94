import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

const devGroup: GroupSpec = { path: 'dev', summary: 'use tools for a server in development mode' };

export const groups: readonly GroupSpec[] = [devGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'dev clock',
    summary: 'show or move the clock of a server that runs with --dev',
    description:
      'Use a data directory that you can throw away: jobs store what they find, so a license that expires under a moved clock stays EXPIRED after --reset. Licenses, leases, heartbeats and jobs of that server follow the clock, and so do commands on its data directory, so that you can test an expiry that is years away. Without an option it shows the time. A restart restores the real time; a production server refuses.',
    options: [
      {
        name: 'now',
        value: 'TIME',
        summary: 'set the clock, such as 2030-01-31T12:00:00Z; 2030-01-31 means the start of that day',
        conflicts: ['advance', 'reset'],
      },
      {
        name: 'advance',
        value: '30d',
        summary: 'move the clock forward by this much',
        type: 'duration',
        conflicts: ['reset'],
      },
      { name: 'reset', summary: 'return to the real time' },
    ],
    runs: ['S'],
    examples: ['appctl dev clock --advance 31d', 'appctl dev clock --reset --json'],
    exits: [4, 5, 9],
    output: () => import('./schemas.ts').then((schemas) => schemas.ClockOutput),
    load: () => import('./clock.ts').then((actions) => actions.moveServerClock),
  },
];
