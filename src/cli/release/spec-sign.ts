import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, OptionSpec } from '../frame/spec.ts';
import { statementOptions } from './spec-options.ts';

/** What a release statement says beside the bytes (licensing 6.3); needs --product and --version. */
const signedFacts: readonly OptionSpec[] = [
  { name: 'product', value: 'SLUG', summary: 'product, for a statement that binds bundle and version' },
  { name: 'version', value: 'VERSION', summary: 'semantic version, for the statement' },
  {
    name: 'channel',
    value: 'CHANNEL',
    summary: 'channel of the statement: stable by default',
    choices: ['stable', 'rc', 'beta', 'alpha', 'nightly'],
  },
  { name: 'platform', value: 'NAME', summary: 'platform of the statement: any by default' },
  { name: 'arch', value: 'NAME', summary: 'processor of the statement: any by default' },
  { name: 'critical', summary: 'the statement says that clients should urge people to install it' },
  { name: 'requires-migration', summary: 'the statement says that the update converts data' },
  { name: 'min-from', value: 'VERSION', summary: 'oldest version that can update to it directly' },
  ...statementOptions,
];

/** Offline: signatures of bundles. */
export const signCommands: readonly CommandSpec[] = [
  {
    path: 'release sign',
    summary: 'sign bundles offline and write FILE.sig.json',
    description:
      'Ed25519 over the 32 bytes of the SHA-256; the same bytes on every run. Without --json the signature goes to stdout. KEY is a file, env://VAR, stdin: or store:KEYID; only the last opens the database. The statement says what the release says: repeat its --critical, --requires-migration and --min-from. --format minisign and sparkle write signatures for those programs: a prehashed signature file, and a signature over the bytes themselves.',
    args: [{ name: 'file', summary: 'bundles to sign', optional: true, variadic: true, complete: 'file' }],
    options: [
      { name: 'key', value: 'KEY', summary: 'private key to sign with', required: true, complete: 'file' },
      ...secretOptions('passphrase', 'the passphrase of the private key'),
      { name: 'bundle', value: 'FILE', summary: 'same as the argument', repeat: true, complete: 'file' },
      ...signedFacts,
      { name: 'out-dir', value: 'DIR', summary: 'folder for the signature file', complete: 'file' },
      { name: 'sha256', value: 'HEX', summary: 'refuse a file with a different digest' },
      { name: 'comment', value: 'TEXT', summary: 'comment for the signature file' },
      {
        name: 'format',
        value: 'FORMAT',
        summary: 'appctl writes FILE.sig.json, the others FILE.sig, FILE.minisig, FILE.sparkle',
        choices: ['appctl', 'base64', 'minisign', 'sparkle'],
        default: 'appctl',
      },
      { name: 'tauri', summary: "also store the signature for Tauri's updater in FILE.sig.json" },
      {
        name: 'sparkle',
        summary: "also store Sparkle's signature in FILE.sig.json; reads the file twice more",
      },
      { name: 'force', summary: 'replace the signature of another file or key' },
      { name: 'publish', summary: 'continue like release ship; needs --product and --version' },
    ],
    runs: ['O', 'L', 'R'],
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
      'Exits with 6 and a reason if the file, the signature and the key do not match. KEY is a file, - for stdin, 44 characters of base64, an https address, or store:SLUG for the keys of a product in the local database.',
    args: [{ name: 'file', summary: 'bundle to check', complete: 'file' }],
    options: [
      { name: 'pubkey', value: 'KEY', summary: 'public key to check with', required: true, complete: 'file' },
      {
        name: 'sig',
        value: 'SIG',
        summary: 'signature: a file, minisign files included, or base64; FILE.sig.json by default',
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
  {
    path: 'release inspect',
    summary: 'show what a signature file says',
    description:
      'Reads FILE.sig.json and only checks that it is consistent: the key in it has the key id it names, and signed its content. `release verify` checks whether that key is trusted.',
    args: [{ name: 'file', summary: 'FILE.sig.json', complete: 'file' }],
    runs: ['O'],
    examples: [
      'appctl release inspect dist/editor-2.1.0.zip.sig.json',
      'appctl release inspect dist/editor-2.1.0.zip.sig.json --json | jq -r .keyId',
    ],
    exits: [6],
    output: () => import('./schemas.ts').then((schemas) => schemas.ReleaseInspectOutput),
    load: () => import('./inspect.ts').then((actions) => actions.inspectSignature),
  },
];
