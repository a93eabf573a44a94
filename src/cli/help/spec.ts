import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'help',
    summary: 'print the help of a command, or a page of the manual',
    description: '`appctl help topics` lists the pages of the manual. A running server shows them at /help.',
    args: [
      {
        name: 'topic',
        summary: 'words of a command, or a page of the manual',
        optional: true,
        variadic: true,
        complete: () => import('./complete-topics.ts').then((actions) => actions.completeTopics),
      },
    ],
    options: [
      { name: 'search', value: 'WORD', summary: 'list the manual pages that contain a text' },
      { name: 'file', value: 'NAME', summary: 'print a file that comes with a page of the manual' },
    ],
    runs: ['O'],
    examples: [
      'appctl help config show',
      'appctl help topics',
      'appctl help move-to-postgres',
      'appctl help --search webhook',
      'appctl help monitoring --file dashboard.json',
    ],
    output: () => import('./schemas.ts').then((schemas) => schemas.HelpOutput),
    load: () => import('./help.ts').then((actions) => actions.printHelp),
  },
];
