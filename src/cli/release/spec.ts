import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';

export const releaseGroup: GroupSpec = {
  path: 'release',
  summary: 'sign release bundles and check signatures',
};

/** What a release statement says beside the bytes (licensing 6.3); needs --product and --version. */
const statementOptions: readonly OptionSpec[] = [
  { name: 'product', value: 'SLUG', summary: 'product, for a statement that binds bundle and version' },
  { name: 'version', value: 'VERSION', summary: 'semantic version, for the statement' },
  {
    name: 'channel',
    value: 'CHANNEL',
    summary: 'channel of the statement: stable when left out',
    choices: ['stable', 'rc', 'beta', 'alpha', 'nightly'],
  },
  { name: 'platform', value: 'NAME', summary: 'platform of the statement: any when left out' },
  { name: 'arch', value: 'NAME', summary: 'processor of the statement: any when left out' },
  {
    name: 'sequence',
    value: 'N',
    summary: 'rising number of the statement: the time in seconds when left out',
    type: 'integer',
    min: 0,
  },
  {
    name: 'statement-days',
    value: 'N',
    summary: 'life of the statement: 400 when left out',
    type: 'integer',
    min: 1,
    max: 3650,
  },
];

export const releaseCommands: readonly CommandSpec[] = [
  {
    path: 'release sign',
    summary: 'sign bundles offline and write FILE.sig.json',
    description:
      'Ed25519 over the 32 bytes of the SHA-256; the same bytes on every run. Without --json the base64 signature goes to stdout. KEY is a file, env://VAR, stdin: or store:KEYID; only the last opens the database.',
    args: [{ name: 'file', summary: 'bundles to sign', optional: true, variadic: true, complete: 'file' }],
    options: [
      { name: 'key', value: 'KEY', summary: 'private key to sign with', required: true, complete: 'file' },
      ...secretOptions('passphrase', 'the passphrase of the private key'),
      { name: 'bundle', value: 'FILE', summary: 'same as the argument', repeat: true, complete: 'file' },
      ...statementOptions,
      { name: 'out-dir', value: 'DIR', summary: 'folder for the signature file', complete: 'file' },
      { name: 'sha256', value: 'HEX', summary: 'refuse a file with another digest' },
      { name: 'comment', value: 'TEXT', summary: 'words for the signature file' },
      {
        name: 'format',
        value: 'FORMAT',
        summary: 'appctl writes FILE.sig.json, base64 writes FILE.sig',
        choices: ['appctl', 'base64'],
        default: 'appctl',
      },
      { name: 'force', summary: 'replace the signature of another file or key' },
    ],
    runs: ['O'],
    examples: [
      'appctl release sign dist/editor-2.1.0.zip --key editor.key --passphrase-env RELEASE_PASS',
      'appctl release sign dist/editor-2.1.0.zip --key env://SIGNING_KEY --product editor --version 2.1.0 --json',
    ],
    confirm: 'mild',
    exits: [3, 4, 5, 6, 7, 9],
    output: () => import('./schemas.ts').then((schemas) => schemas.ReleaseSignOutput),
    load: () => import('./sign.ts').then((actions) => actions.signRelease),
  },
  {
    path: 'release verify',
    summary: 'check a bundle against its signature',
    description:
      'Ends with 6 and a reason when the file, the signature or the key do not fit. KEY is a file, - for stdin, 44 characters of base64, an https address, or store:SLUG for the keys of a product in the local database.',
    args: [{ name: 'file', summary: 'bundle to check', complete: 'file' }],
    options: [
      { name: 'pubkey', value: 'KEY', summary: 'public key to check with', required: true, complete: 'file' },
      {
        name: 'sig',
        value: 'SIG',
        summary: 'signature: a file or base64; FILE.sig.json when left out',
        complete: 'file',
      },
      { name: 'sha256', value: 'HEX', summary: 'digest that the file must have' },
    ],
    runs: ['O'],
    examples: [
      'appctl release verify dist/editor-2.1.0.zip --pubkey editor.pub',
      'appctl release verify dist/editor-2.1.0.zip --pubkey store:editor --json | jq -e .valid',
    ],
    exits: [3, 5, 6, 9],
    output: () => import('./schemas.ts').then((schemas) => schemas.ReleaseVerifyOutput),
    load: () => import('./verify.ts').then((actions) => actions.verifyRelease),
  },
];
