import { page } from '../answers.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

export const groups: readonly GroupSpec[] = [
  { path: 'alerts', summary: 'show what needs attention, and send a test' },
];

export const commands: readonly CommandSpec[] = [
  {
    path: 'alerts list',
    summary: 'list open alerts, or all of the last 90 days',
    description:
      'A running server looks every minute. An alert is over when it was not found again for five minutes.',
    options: [{ name: 'all', summary: 'those that are over, too' }, ...pageOptions],
    runs: ['L', 'R'],
    examples: ['appctl alerts list', 'appctl alerts list --all --json'],
    output: page(() => import('#platform/alerts/view.ts'), 'AlertView'),
    load: () => import('./alerts.ts').then((actions) => actions.listAlerts),
  },
  {
    path: 'alerts test',
    summary: 'send a test by email, webhook and ping',
    description:
      'Sends at once to every address that gets alerts. If one of them was not reached, exits with 9 and says why.',
    runs: ['L'],
    examples: ['appctl alerts test', 'appctl alerts test --json'],
    confirm: 'mild',
    dryRun: false,
    exits: [9],
    output: () => import('./schemas.ts').then((schemas) => schemas.AlertsTested),
    load: () => import('./alerts.ts').then((actions) => actions.testAlerts),
  },
];
