import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'status',
    summary: 'show server, database, queues and counts',
    options: [{ name: 'strict', summary: 'exit with 8 if there is a warning' }],
    runs: ['S', 'L'],
    examples: ['appctl status', 'appctl status --json | jq .counts', 'appctl status --strict --quiet'],
    exits: [8],
    output: () => import('../../app/status-view.ts').then((views) => views.StatusView),
    load: () => import('./status.ts').then((actions) => actions.showStatus),
  },
];
