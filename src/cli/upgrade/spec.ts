import type { CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';

export const groups: readonly GroupSpec[] = [
  { path: 'upgrade', summary: 'install a newer version of this program, and go back' },
];

const sourceOptions: readonly OptionSpec[] = [
  {
    name: 'channel',
    value: 'CHANNEL',
    summary: 'channel to look in; each includes the ones before it',
    choices: ['stable', 'rc', 'beta', 'alpha', 'nightly'],
    config: 'update.channel',
  },
  {
    name: 'pubkey',
    value: 'KEY',
    summary: 'public key that must have signed the release: a file or base64 (default: update.pubkey)',
    complete: 'file',
  },
  { name: 'file', value: 'FILE', summary: 'executable that was brought here by hand', complete: 'file' },
  {
    name: 'signature',
    value: 'FILE',
    summary: 'its signature file (default: FILE.sig.json)',
    complete: 'file',
  },
];

const schemas = () => import('./schemas.ts');

export const commands: readonly CommandSpec[] = [
  {
    path: 'upgrade check',
    summary: 'look for a newer version of this program',
    description:
      'Asks update.url, and verifies what it offers with update.pubkey. If there is a newer version, exits with 8. Without update.url this program asks nobody.',
    options: sourceOptions,
    runs: ['O'],
    examples: ['appctl upgrade check', 'appctl upgrade check --file appctl-1.5.0 --json'],
    exits: [4, 5, 6, 8, 9],
    output: () => schemas().then((all) => all.UpgradeCheckOutput),
    load: () => import('./check.ts').then((actions) => actions.checkUpgrade),
  },
  {
    path: 'upgrade apply',
    summary: 'install the newest version and hand the running server over to it',
    description:
      'Verifies the signature, the version and that the executable runs here, backs up the database, replaces the executable in one step and hands the running server over to it. If the new version does not become healthy, the old one returns by itself: changes to the database schema are undone, and the old server never stopped serving. Exits with 6 then. Run it as the user who may replace the executable, usually root. Without network: --file.',
    options: [
      ...sourceOptions,
      { name: 'no-backup', summary: 'do not back up the database first' },
      { name: 'continue', summary: 'finish an upgrade, or its way back, that was interrupted' },
    ],
    runs: ['O'],
    examples: [
      'sudo appctl upgrade apply',
      'sudo appctl upgrade apply --file appctl-1.5.0 --signature appctl-1.5.0.sig.json --yes',
      'sudo appctl upgrade apply --continue',
    ],
    confirm: 'moderate',
    exits: [4, 5, 6, 9, 10],
    output: () => schemas().then((all) => all.UpgradeApplyOutput),
    load: () => import('./apply.ts').then((actions) => actions.applyVersion),
  },
  {
    path: 'upgrade rollback',
    summary: 'return to the version before the last upgrade',
    description:
      'Puts the former executable back. If the newer version changed the database schema, stop the server first; the database then goes back too, after its name was typed: convert undoes the schema changes and keeps what was written since, except what only the newer version can store. restore returns to the backup made before the upgrade, and everything written since is only in the backup made now.',
    options: [
      {
        name: 'database',
        value: 'HOW',
        summary: 'how the database goes back, where its schema changed',
        choices: ['convert', 'restore'],
        default: 'convert',
      },
    ],
    runs: ['O'],
    examples: [
      'sudo appctl upgrade rollback --yes',
      'sudo appctl upgrade rollback --database restore --confirm appctl',
    ],
    confirm: 'severe',
    exits: [3, 4, 5, 6, 9, 10],
    output: () => schemas().then((all) => all.UpgradeRollbackOutput),
    load: () => import('./rollback.ts').then((actions) => actions.rollBack),
  },
];
