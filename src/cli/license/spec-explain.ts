import { one } from '../answers.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#licensing/insight/requests/view.ts');

export const explainCommands: readonly CommandSpec[] = [
  {
    path: 'license why',
    summary: 'explain the answer to a recorded request',
    description:
      'The id is in every refusal and in the header X-Request-Id of every answer. Denials are recorded by default; the setting licensing.request_log says which requests are recorded, and licensing.request_log_days for how long.',
    args: [{ name: 'request-id', summary: 'id of the request, req_…' }],
    runs: ['L', 'R'],
    examples: [
      'appctl license why req_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
      'appctl license why req_01J9ZK3T5W8Y2QF4M6N7P0R1SV --json | jq .trace',
    ],
    exits: [3],
    output: one(views, 'ExplainedRequestView'),
    load: () => import('./why.ts').then((actions) => actions.explainRequest),
  },
  {
    path: 'license seats',
    summary: 'show seats in use, or who was refused one',
    description:
      'Without --denied it lists every floating license with its seats in use, the fullest first. With --denied it lists the licenses that refused machines because every seat or activation was taken.',
    options: [
      { name: 'denied', summary: 'refusals instead of seats in use' },
      {
        name: 'since',
        value: '30d',
        summary: 'with --denied: since then, 30d by default, or a date; refusals are kept for 31 days',
      },
      {
        name: 'product',
        value: 'SLUG',
        summary: 'only this product',
        complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
      },
      ...pageOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl license seats --product editor',
      'appctl license seats --denied --since 30d',
      'appctl license seats --denied --csv > denials.csv',
    ],
    exits: [3, 4],
    output: () => import('./schemas-seats.ts').then((schemas) => schemas.SeatsOutput),
    load: () => import('./seats.ts').then((actions) => actions.showSeats),
  },
];
