import { secretOptions } from '../frame/secrets.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const backupGroup: GroupSpec = {
  path: 'backup',
  summary: 'back up an installation, and check and prune its backups',
};

export const groups: readonly GroupSpec[] = [backupGroup];

const schemas = () => import('./schemas.ts');

/** Of commands that write an encrypted backup, and of those that read one. */
export const openingOptions: readonly OptionSpec[] = [
  {
    name: 'identity',
    value: 'FILE',
    summary: 'file with the private key that opens an encrypted backup',
    complete: 'file',
  },
  ...secretOptions('passphrase', 'the passphrase of an encrypted backup'),
];

export const archiveArgument: ArgSpec = {
  name: 'file',
  summary: 'a backup: a file, or a name that appctl backup list shows',
  complete: 'file',
};

const keepOption = (period: 'daily' | 'weekly' | 'monthly', of: string): OptionSpec => ({
  name: `keep-${period}`,
  value: 'N',
  summary: `keep the newest backup of each of the last N ${of} (default: backup.keep)`,
  type: 'integer',
  min: 0,
  max: 9999,
});

export const commands: readonly CommandSpec[] = [
  {
    path: 'backup create',
    summary: 'back up database, bundles, pictures and configuration into one verified file',
    description:
      'Copies the database as of one moment, also while a server runs, and packs it with release bundles, pictures, waiting events and the configuration without its secrets. The backup counts only after it was unpacked again and every hash, index, reference and row count was checked. Without --out it goes to backup.dir. The master key is included only in an encrypted backup; otherwise store it separately. To encrypt, name a public key, or give a passphrase; by default backup.encrypt_to or backup.passphrase.',
    options: [
      {
        name: 'out',
        value: 'FILE',
        summary: 'write to this file or folder, or - for stdout',
        complete: 'file',
      },
      {
        name: 'exclude',
        value: 'PART',
        summary: 'leave out media (pictures and files of the shop) or bundles',
        choices: ['media', 'bundles'],
        repeat: true,
      },
      {
        name: 'encrypt-to',
        value: 'KEY',
        summary: 'encrypt to this public key (age1…)',
        repeat: true,
        conflicts: ['passphrase-file', 'passphrase-stdin', 'passphrase-env'],
      },
      ...secretOptions('passphrase', 'the passphrase to encrypt with'),
      {
        name: 'label',
        value: 'NAME',
        summary: 'add a word to the name; labeled backups are never pruned',
      },
    ],
    runs: ['L'],
    examples: [
      'appctl backup create',
      'appctl backup create --label before-import',
      'appctl backup create --out /mnt/usb/ --exclude bundles',
      'appctl backup create --encrypt-to age1… --out - | ssh backup@host "cat > appctl.tar.zst.age"',
    ],
    exits: [4, 5, 6],
    output: () => schemas().then((all) => all.BackupCreateOutput),
    load: () => import('./create.ts').then((actions) => actions.create),
  },
  {
    path: 'backup list',
    summary: 'list the backups in backup.dir, the newest first',
    options: [...pageOptions],
    runs: ['L'],
    examples: ['appctl backup list', 'appctl backup list --json | jq -r ".items[0].file"'],
    output: () => schemas().then((all) => all.BackupListOutput),
    load: () => import('./list.ts').then((actions) => actions.list),
  },
  {
    path: 'backup verify',
    summary: 'unpack a backup into a scratch place and check all of it',
    description:
      'Checks every hash, opens the database and checks its pages, indexes, references and row counts. Needs no server and no database. If anything is wrong, exits with 6.',
    args: [archiveArgument],
    options: [...openingOptions],
    runs: ['O'],
    examples: [
      'appctl backup verify appctl-backup-20270131T030000Z.tar.zst',
      'appctl backup verify nightly.tar.zst.age --identity backup.key',
    ],
    exits: [3, 4, 5, 6, 9],
    output: () => schemas().then((all) => all.BackupVerifyOutput),
    load: () => import('./verify.ts').then((actions) => actions.verify),
  },
  {
    path: 'backup prune',
    summary: 'delete backups that the keep rules do not need',
    description:
      'Keeps the newest verified backup of each day, week and month, as many as given, and the newest three of each kind that appctl makes before a migration, upgrade or restore. Labeled backups and those of other installations are never deleted. With backup.stream, also deletes shipped files that no kept backup and no moment of the stream can need.',
    options: [keepOption('daily', 'days'), keepOption('weekly', 'weeks'), keepOption('monthly', 'months')],
    runs: ['L'],
    examples: ['appctl backup prune --dry-run', 'appctl backup prune --keep-daily 14 --yes'],
    confirm: 'moderate',
    exits: [10],
    output: () => schemas().then((all) => all.BackupPruneOutput),
    load: () => import('./prune.ts').then((actions) => actions.prune),
  },
  {
    path: 'backup keygen',
    summary: 'create a key pair to encrypt backups with',
    description:
      'Writes the private key to a file and prints the public one. Backups encrypted to the public key can only be opened with the private one, so the server cannot read its own backups. Keep the private key away from the server. It is an age key: age -d -i FILE opens a backup, too.',
    options: [
      {
        name: 'out',
        value: 'FILE',
        summary: 'file for the private key, mode 0600',
        required: true,
        complete: 'file',
      },
      { name: 'force', summary: 'replace an existing file' },
    ],
    runs: ['O'],
    examples: ['appctl backup keygen --out backup.key'],
    exits: [5],
    output: () => schemas().then((all) => all.BackupKeygenOutput),
    load: () => import('./keygen.ts').then((actions) => actions.keygen),
  },
];
