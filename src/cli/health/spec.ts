import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'health',
    summary: 'check that a server answers and is healthy',
    description:
      'Without --url it asks the server of this data directory, or else the first configured listen address. Made for HEALTHCHECK and systemd.',
    options: [
      { name: 'url', value: 'URL', summary: 'address of the server' },
      {
        name: 'wait',
        value: 'SEC',
        summary: 'keep trying for this many seconds',
        type: 'integer',
        min: 0,
        max: 86_400,
      },
    ],
    runs: ['O'],
    examples: [
      'appctl health',
      'appctl health --wait 20',
      'appctl health --url https://license.example.com --json',
    ],
    exits: [9],
    output: () => import('./schemas.ts').then((schemas) => schemas.HealthOutput),
    load: () => import('./health.ts').then((actions) => actions.checkHealth),
  },
];
