import { one } from '../answers.ts';
import { reportGroups } from '../choices.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

export const reportGroup: GroupSpec = { path: 'store report', summary: 'sales figures of the shop' };

export const reportCommands: readonly CommandSpec[] = [
  {
    path: 'store report sales',
    summary: 'show what the shop sold, by day, week or month',
    description: 'Days are those of the time zone of the shop.',
    options: [
      {
        name: 'from',
        value: 'DAY',
        summary: 'first day, such as 2026-01-01; 30 days before the last one by default',
      },
      { name: 'to', value: 'DAY', summary: 'last day, included; today by default' },
      { name: 'by', value: 'PERIOD', summary: 'rows by day, week or month', choices: reportGroups },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl store report sales --from 2026-01-01 --to 2026-01-31',
      'appctl store report sales --by month --from 2026-01-01 --csv',
    ],
    exits: [4],
    output: one(() => import('#storefront/tools/reports/view.ts'), 'SalesReportView'),
    load: () => import('./reports.ts').then((actions) => actions.showSales),
  },
  {
    path: 'store report rebuild',
    summary: 'recount all orders for the reports',
    description:
      'Clears the figures of the reports and counts them again from all orders; until that is done, pages show the progress. If the command is interrupted, the server continues. Doctor says when the figures are wrong.',
    runs: ['L', 'R'],
    confirm: 'mild',
    dryRun: false,
    examples: ['appctl store report rebuild', 'appctl store report rebuild --json | jq .orders'],
    output: () => import('./schemas.ts').then((schemas) => schemas.RebuiltOutput),
    load: () => import('./reports.ts').then((actions) => actions.rebuildReports),
  },
];
