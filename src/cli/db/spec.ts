import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

const dbGroup: GroupSpec = { path: 'db', summary: 'copy and check the database of an installation' };

export const groups: readonly GroupSpec[] = [dbGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'db check',
    summary: 'check the database and the files that belong to it',
    description:
      'Checks pages and indexes, references between rows, the schema, and whether the bundles and pictures are stored. Lists files in the bundle storage that no release refers to. If anything is wrong, exits with 6. Reads everything, so run it when little is going on.',
    runs: ['L'],
    examples: ['appctl db check', 'appctl db check --json | jq -r ".problems[]"'],
    exits: [6],
    output: () => import('./schemas.ts').then((schemas) => schemas.DbCheckOutput),
    load: () => import('./check.ts').then((actions) => actions.checkDatabase),
  },
  {
    path: 'db copy',
    summary: 'copy the whole installation into another database',
    description:
      "Copies every table of this installation's database (or --db) into another one, between SQLite and Postgres in either direction. Ids, license keys, API keys, settings, orders and the audit log are included. Each table is checked by row count and checksum. The copy reflects the moment it started, even while a server runs on the source; later writes are not in it. If it stops early, run the same command again to continue. A target that already holds an installation is only overwritten with --confirm. The master key, bundles and media are files in the data directory and are not copied. With --to sqlite:FILE it makes a safe copy of a database in use.",
    options: [
      {
        name: 'to',
        value: 'URL',
        summary: 'target: sqlite:FILE, or postgres://user@host:5432/name without a password',
        conflicts: ['to-file', 'to-env'],
      },
      ...secretOptions('to', 'the address of the target, which may contain a password', ['file', 'env']),
    ],
    runs: ['L'],
    examples: [
      'appctl db copy --to-file postgres.url --dry-run',
      'appctl db copy --to-file postgres.url',
      'appctl db copy --to sqlite:monday.db',
      'appctl db copy --db postgres://appctl@127.0.0.1:5432/appctl --to sqlite:data/appctl.db',
    ],
    confirm: 'severe',
    exits: [5, 6, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.DbCopyOutput),
    load: () => import('./copy.ts').then((actions) => actions.copyDatabase),
  },
];
