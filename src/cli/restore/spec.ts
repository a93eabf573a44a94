import { openingOptions } from '../backup/spec.ts';
import type { CommandSpec } from '../frame/spec.ts';

export const restore: CommandSpec = {
  path: 'restore',
  summary: 'restore a backup, or one moment, into this data directory and database',
  description:
    'Unpacks the backup into a scratch place, checks all of it, brings an older schema up to date, and only then replaces the database, in one step. The target is --data-dir and --db, on SQLite or Postgres, whatever the backup was made of. What was there before is backed up first, as pre-restore. Every login session ends. Stop the server first: a database in use is refused. The restored installation is the same installation as the one that was backed up: never serve both. With backup.stream, --at restores the database as it was at one moment: everything that was committed by then, and nothing later. Bundles, pictures and other files that it names and that are missing here are fetched from the stream; if some cannot be found, they are named, and it exits with 6.',
  args: [
    {
      name: 'file',
      summary: 'a backup: a file, or a name that appctl backup list shows; not with --at or --continue',
      complete: 'file',
      optional: true,
    },
  ],
  options: [
    {
      name: 'at',
      value: 'TIME',
      summary: 'restore the database as it was at this moment, or 10m ago, or now; needs backup.stream',
      conflicts: ['only', 'continue'],
    },
    {
      name: 'only',
      value: 'PART',
      summary: 'restore only this part; files that are there stay',
      choices: ['db', 'media', 'bundles', 'config'],
      repeat: true,
    },
    {
      name: 'master-key-file',
      value: 'FILE',
      summary: 'master key of the backup, if this data directory does not have it',
      complete: 'file',
    },
    ...openingOptions,
    { name: 'no-backup', summary: 'do not back up what is there now' },
    { name: 'continue', summary: 'finish a restore that was interrupted while it replaced the database' },
  ],
  runs: ['L'],
  examples: [
    'appctl restore appctl-backup-20270131T030000Z.tar.zst --confirm appctl',
    'appctl restore nightly.tar.zst.age --identity backup.key --data-dir /var/lib/appctl',
    'appctl restore nightly.tar.zst --db postgres://appctl@127.0.0.1:5432/appctl --master-key-file master.key',
    'appctl restore nightly.tar.zst --only media --dry-run',
    'appctl restore --at "2027-01-31 14:05" --confirm appctl',
  ],
  confirm: 'severe',
  exits: [3, 4, 5, 6, 10],
  output: () => import('./schemas.ts').then((all) => all.RestoreOutput),
  load: () => import('./restore.ts').then((actions) => actions.restoreBackup),
};
