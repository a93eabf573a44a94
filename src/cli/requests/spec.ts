import { page } from '../answers.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#licensing/insight/requests/view.ts');

const requestsGroup: GroupSpec = { path: 'requests', summary: 'find recorded calls to the license API' };

export const groups: readonly GroupSpec[] = [requestsGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'requests list',
    summary: 'list recorded requests, newest first',
    description:
      'Denials are recorded by default; the setting licensing.request_log says which requests are recorded. `appctl license why ID` explains one.',
    options: [
      { name: 'license', value: 'ID', summary: 'only those about this license' },
      { name: 'code', value: 'CODE', summary: 'only those answered with this code' },
      {
        name: 'status',
        value: 'N',
        summary: 'only those answered with this HTTP status',
        type: 'integer',
        min: 100,
        max: 599,
      },
      { name: 'api-key', value: 'ID', summary: 'only those made with the API key of this id' },
      { name: 'ip', value: 'ADDRESS', summary: 'only those from this address' },
      { name: 'since', value: '1d', summary: 'since then: a time ago such as 7d, or a date' },
      ...pageOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl requests list --license lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
      'appctl requests list --code SEAT_LIMIT_REACHED --since 7d --json | jq -r ".items[].id"',
    ],
    output: page(views, 'RequestView'),
    load: () => import('./list.ts').then((actions) => actions.listRequests),
  },
];
