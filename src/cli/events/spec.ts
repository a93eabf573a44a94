import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

const eventsGroup: GroupSpec = { path: 'events', summary: 'follow the timeline of all events' };

export const groups: readonly GroupSpec[] = [eventsGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'events tail',
    summary: 'show the latest events, and follow them live',
    description:
      'With --follow it runs until Ctrl-C and prints one line per event as soon as it is committed. It waits up to a minute for a server that restarts, and misses nothing. With --json each line is one object.',
    options: [
      { name: 'license', value: 'ID', summary: 'only events of this license' },
      { name: 'type', value: 'TYPE', summary: 'only events of this type, such as LICENSE_ACTIVATED' },
      { name: 'since', value: '1h', summary: 'all events since then: a time ago such as 7d, or a date' },
      {
        name: 'last',
        value: 'N',
        summary: 'the last N events (20 by default)',
        type: 'integer',
        min: 0,
        max: 10_000,
        conflicts: ['since'],
      },
      { name: 'follow', short: 'f', summary: 'keep printing new events' },
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
