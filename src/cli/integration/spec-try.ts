import type { CommandSpec } from '../frame/spec.ts';
import { integrationArgument } from './arguments.ts';

export const tryCommands: readonly CommandSpec[] = [
  {
    path: 'integration test',
    summary: 'send a signed sample purchase to the server',
    description:
      'The sample is built as the processor would build it, signed with the secret of the integration, and sent to the server of this installation, or to the one that --server or --profile names. The licenses it creates are real; their order number begins with test-.',
    args: [integrationArgument],
    options: [
      {
        name: 'external',
        value: 'ID',
        summary: 'product or price id that is bought; the first mapping by default',
      },
      { name: 'email', value: 'EMAIL', summary: 'address of the buyer', default: 'test@example.com' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl integration test stripe',
      'appctl integration test shop --external plan_1 --email ann@example.com --json',
    ],
    confirm: 'mild',
    exits: [3, 5, 6],
    output: () => import('./schemas.ts').then((schemas) => schemas.TestOutput),
    load: () => import('./test.ts').then((actions) => actions.testIntegration),
  },
  {
    path: 'integration simulate',
    summary: 'show what an event would create, without creating it',
    description:
      'The file contains the body of an event as the processor sends it; its signature is not checked and nothing is stored.',
    args: [integrationArgument],
    options: [
      {
        name: 'file',
        value: 'FILE',
        summary: 'body of the event; - is stdin',
        required: true,
        complete: 'file',
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl integration simulate stripe --file event.json',
      'curl -s https://shop.example.com/last-event | appctl integration simulate shop --file -',
    ],
    exits: [3, 6],
    output: () => import('./schemas.ts').then((schemas) => schemas.SimulateOutput),
    load: () => import('./simulate.ts').then((actions) => actions.simulateIntegration),
  },
];
