import type { CommandSpec } from '../frame/spec.ts';

export const helpCommands: readonly CommandSpec[] = [
  {
    path: 'help',
    summary: 'print the help of a command',
    args: [{ name: 'command', summary: 'words of the command', optional: true, variadic: true }],
    runs: ['O'],
    examples: ['appctl help', 'appctl help config show'],
    stream: 'raw',
    load: () => import('./help.ts').then((actions) => actions.printHelp),
  },
];
