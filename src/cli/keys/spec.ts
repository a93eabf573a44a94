import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { keyChangeCommands } from './spec-change.ts';
import { onlineKeysCommands, onlineKeysGroup } from './spec-online.ts';

const keysGroup: GroupSpec = { path: 'keys', summary: 'generate, rotate and export keys that sign releases' };

const keyIdArgument = { name: 'keyid', summary: 'key id, 16 hex characters' };

export const groups: readonly GroupSpec[] = [keysGroup, onlineKeysGroup];

/** The key that seals what the database keeps secret. */
const masterKeyCommand: CommandSpec = {
  path: 'keys master',
  summary: 'show where the master key is, and confirm that you have stored it',
  description:
    'The master key encrypts every secret in the database. Without it no copy of the database can be used, and nobody can recreate it. Store a copy in a password manager or a safe, then run this command with --kept; doctor reminds you until you do. The key itself is never printed.',
  options: [{ name: 'kept', summary: 'confirm that a copy of the master key is stored in a safe place' }],
  runs: ['L'],
  examples: ['appctl keys master', 'appctl keys master --kept'],
  confirm: 'mild',
  output: () => import('./master-schema.ts').then((schemas) => schemas.MasterKeyOutput),
  load: () => import('./master.ts').then((actions) => actions.masterKey),
};

export const commands: readonly CommandSpec[] = [
  {
    path: 'keys generate',
    summary: 'generate a key that signs the releases of a product',
    description:
      'Writes the private key to FILE (mode 0600) and the public key next to it, such as editor.key and editor.pub. If the database of the data directory or the named server has the product, the public key is registered there as ACTIVE. A product that has an active key gets its successor from keys rotate; with --next the key is registered as NEXT, for keys rotate --to. Without the product only the files are written; register the key later with appctl keys import. Without a passphrase or a terminal to ask on, the private key is stored unencrypted.',
    options: [
      { name: 'product', value: 'SLUG', summary: 'product whose releases it signs', required: true },
      { name: 'out', value: 'FILE', summary: 'private key file: SLUG.key by default', complete: 'file' },
      { name: 'server-held', summary: 'keep the private key in the database, sealed with the master key' },
      ...secretOptions('passphrase', 'the passphrase that encrypts the private key'),
      {
        name: 'no-passphrase',
        summary: 'store the private key unencrypted',
        conflicts: ['passphrase-file', 'passphrase-stdin', 'passphrase-env'],
      },
      { name: 'comment', value: 'TEXT', summary: 'label of the key' },
      { name: 'next', summary: 'beside an active key, register it as NEXT, for keys rotate --to' },
      { name: 'force', summary: 'replace existing key files' },
    ],
    runs: ['O', 'L', 'R'],
    examples: [
      'appctl keys generate --product editor --out editor.key --passphrase-env RELEASE_PASS',
      'appctl keys generate --product editor --server-held --json | jq -r .keyId',
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.KeysGenerateOutput),
    load: () => import('./generate.ts').then((actions) => actions.generateKey),
  },
  {
    path: 'keys list',
    summary: 'list the registered keys',
    options: [
      { name: 'product', value: 'SLUG', summary: 'only the keys of this product' },
      { name: 'page', value: 'N', summary: 'page to show', type: 'integer', min: 1, default: '1' },
      {
        name: 'limit',
        value: 'N',
        summary: 'keys per page',
        type: 'integer',
        min: 1,
        max: 100,
        default: '20',
      },
    ],
    runs: ['L', 'R'],
    examples: ['appctl keys list', 'appctl keys list --product editor --json'],
    exits: [4],
    output: () => import('./schemas.ts').then((schemas) => schemas.KeysListOutput),
    load: () => import('./list.ts').then((actions) => actions.listKeys),
  },
  {
    path: 'keys show',
    summary: 'show one registered key',
    args: [keyIdArgument],
    runs: ['L', 'R'],
    examples: ['appctl keys show 3f0a17c2b8d94e61'],
    exits: [3, 4],
    output: () => import('./schemas.ts').then((schemas) => schemas.KeysShowOutput),
    load: () => import('./list.ts').then((actions) => actions.showKey),
  },
  {
    path: 'keys export',
    summary: 'write a registered key to stdout or a file',
    description:
      'With --public it writes the public key. Without it, the private key of a server-held key, unencrypted: for that, type the key id or give --confirm KEYID. A private key never leaves its server: with --server only --public works.',
    args: [keyIdArgument],
    options: [
      { name: 'public', summary: 'the public key' },
      {
        name: 'format',
        value: 'FORMAT',
        summary: 'format of the key',
        choices: ['pem', 'base64', 'hex', 'jwk', 'minisign'],
        default: 'pem',
      },
      { name: 'out', value: 'FILE', summary: 'file to write instead of stdout', complete: 'file' },
      { name: 'force', summary: 'replace an existing file' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl keys export 3f0a17c2b8d94e61 --public > editor.pub',
      'appctl keys export 3f0a17c2b8d94e61 --out editor.key --confirm 3f0a17c2b8d94e61',
    ],
    confirm: 'severe',
    exits: [3, 4, 5, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.KeysExportOutput),
    load: () => import('./export.ts').then((actions) => actions.exportKey),
  },
  {
    path: 'keys fingerprint',
    summary: 'print the fingerprint of a key file, public or private',
    description:
      'No passphrase is needed: an encrypted key file includes its public half. 32 raw bytes are read as a public key.',
    args: [{ name: 'file', summary: 'key file', complete: 'file' }],
    runs: ['O'],
    examples: [
      'appctl keys fingerprint editor.pub',
      'appctl keys fingerprint editor.key --json | jq -r .keyId',
    ],
    exits: [4],
    output: () => import('./schemas.ts').then((schemas) => schemas.KeysFingerprintOutput),
    load: () => import('./fingerprint.ts').then((actions) => actions.showFingerprint),
  },
  ...keyChangeCommands,
  masterKeyCommand,
  ...onlineKeysCommands,
];
