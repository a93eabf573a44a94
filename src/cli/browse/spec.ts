import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'open',
    summary: 'open the panel, the shop or another page of this server in the browser',
    description:
      'Without a page it opens the link that creates the owner, or the panel once there is one. BROWSER names another browser, with its arguments. If no browser can be started, only the address is printed.',
    args: [
      {
        name: 'page',
        summary: 'page to open: shop is for shoppers, store is the panel of the shop',
        optional: true,
        choices: ['home', 'setup', 'admin', 'shop', 'store', 'help', 'docs'],
      },
    ],
    options: [{ name: 'print', summary: 'print the address without starting a browser' }],
    runs: ['L'],
    examples: ['appctl open', 'appctl open shop', 'appctl open setup --print'],
    exits: [5, 9],
    output: () => import('./schemas.ts').then((schemas) => schemas.OpenOutput),
    load: () => import('./open.ts').then((actions) => actions.openPage),
  },
];
