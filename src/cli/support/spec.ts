import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

export const groups: readonly GroupSpec[] = [
  { path: 'support', summary: 'collect what somebody who helps you needs to see' },
];

export const commands: readonly CommandSpec[] = [
  {
    path: 'support archive',
    summary: 'write an archive without secrets, to send to whoever supports you',
    description:
      'It holds the version, the configuration without secrets, the status, what appctl doctor finds, the schema, jobs and their runs, sizes of tables, and the newest lines of the log. Keys, tokens and passwords are left out; email and network addresses become names such as ip-3f2a91. It also works where the installation is broken. Look through it before you send it: tar --zstd -xf FILE.',
    options: [
      {
        name: 'out',
        value: 'FILE',
        summary: 'the archive to write; appctl-support-TIME.tar.zst in this folder by default',
        complete: 'file',
      },
      {
        name: 'lines',
        value: 'N',
        summary: 'newest lines of the log that go in',
        type: 'integer',
        min: 0,
        max: 100_000,
        default: '2000',
      },
    ],
    runs: ['L', 'S'],
    examples: ['appctl support archive', 'appctl support archive --out case-4711.tar.zst --lines 500'],
    exits: [5],
    output: () => import('./schemas.ts').then((schemas) => schemas.SupportArchiveOutput),
    load: () => import('./command.ts').then((actions) => actions.archive),
  },
];
