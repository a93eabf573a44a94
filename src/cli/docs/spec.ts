import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

export const groups: readonly GroupSpec[] = [
  { path: 'docs', summary: 'write man pages and the command reference' },
];

const command = {
  name: 'command',
  summary: 'words of a command or group, or appctl.toml',
  optional: true,
  variadic: true,
  complete: () => import('./docs.ts').then((actions) => actions.completePages),
} as const;

const out = {
  name: 'out',
  value: 'DIR',
  summary: 'write the files to this folder',
  complete: 'file',
} as const;

export const commands: readonly CommandSpec[] = [
  {
    path: 'docs man',
    summary: 'print a man page, or write all of them',
    description:
      'Pages of section 1 for the program and each command, and appctl.toml(5) for the configuration. Without --out one page goes to stdout, for man -l -.',
    args: [command],
    options: [out],
    runs: ['O'],
    examples: [
      'appctl docs man license mint | man -l -',
      'appctl docs man appctl.toml | man -l -',
      'sudo appctl docs man --out /usr/local/share/man',
    ],
    confirm: 'mild',
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.DocsOutput),
    load: () => import('./docs.ts').then((actions) => actions.writeMan),
  },
  {
    path: 'docs markdown',
    summary: 'print the command reference as Markdown, or write it as files',
    description:
      'Without --out it goes to stdout. With --out each group has a file, and README.md lists them.',
    args: [command],
    options: [out],
    runs: ['O'],
    examples: ['appctl docs markdown > reference.md', 'appctl docs markdown --out reference'],
    confirm: 'mild',
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.DocsOutput),
    load: () => import('./docs.ts').then((actions) => actions.writeMarkdown),
  },
];
