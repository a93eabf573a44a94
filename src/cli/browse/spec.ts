import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'open',
    summary: 'open the panel, the shop or another page of this server in the browser',
    description:
      'Without a page it opens the link under which the owner is made while nobody has, and the panel afterwards. Where no browser can be started, the address is printed alone.',
    args: [
      {
        name: 'page',
        summary: 'what to open',
        optional: true,
        choices: ['home', 'setup', 'admin', 'store', 'help', 'docs'],
      },
    ],
    options: [{ name: 'print', summary: 'print the address and start no browser' }],
    runs: ['L'],
    examples: ['appctl open', 'appctl open store', 'appctl open setup --print'],
    exits: [5, 9],
    output: () => import('./schemas.ts').then((schemas) => schemas.OpenOutput),
    load: () => import('./open.ts').then((actions) => actions.openPage),
  },
];
