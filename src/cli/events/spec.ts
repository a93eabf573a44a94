import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

const eventsGroup: GroupSpec = { path: 'events', summary: 'follow the timeline of everything' };

export const groups: readonly GroupSpec[] = [eventsGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'events tail',
    summary: 'show the latest events, and follow them live',
    description:
      'With --follow it goes on until Ctrl-C, one line per event as soon as it is committed. It waits for up to a minute for a server that restarts, and misses nothing. With --json each line is one object.',
    options: [
      { name: 'license', value: 'ID', summary: 'of this license' },
      { name: 'type', value: 'TYPE', summary: 'of this type, for example LICENSE_ACTIVATED' },
      { name: 'since', value: '1h', summary: 'all from then on, or from a date' },
      {
        name: 'last',
        value: 'N',
        summary: 'the last N (20 when left out)',
        type: 'integer',
        min: 0,
        max: 10_000,
        conflicts: ['since'],
      },
      { name: 'follow', short: 'f', summary: 'go on with what happens from now on' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl events tail --license lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --follow',
      'appctl events tail --since 1d --type LICENSE_REVOKED --json | jq -r .licenseId',
    ],
    stream: 'ndjson',
    output: () => import('#licensing/insight/events/view.ts').then((views) => views.EventView),
    load: () => import('./tail.ts').then((actions) => actions.tailTimeline),
  },
];
