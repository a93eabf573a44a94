import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

const dbGroup: GroupSpec = { path: 'db', summary: 'copy the database of an installation' };

export const groups: readonly GroupSpec[] = [dbGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'db copy',
    summary: 'copy the whole installation into another database',
    description:
      'Copies every table from the database of this installation (or --db) into another one, between SQLite and Postgres in either direction: ids, license keys, API keys, settings, orders and the audit log included. Each table is compared by its number of rows and a checksum. The copy is as of the moment at which it begins, also while a server runs on the source; what is written later is not in it. When it ends early, run the same command again: it goes on. A target that holds an installation already is only overwritten with --confirm. The master key, bundles and media are files of the data directory and are not copied. With --to sqlite:FILE it makes a safe copy of a database that is in use.',
    options: [
      {
        name: 'to',
        value: 'URL',
        summary: 'target: sqlite:FILE, or postgres://user@host:5432/name without a password',
        conflicts: ['to-file', 'to-env'],
      },
      ...secretOptions('to', 'the address of the target, which may hold a password', ['file', 'env']),
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
