import { result } from '../answers.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, OptionSpec } from '../frame/spec.ts';
import { newPassphraseOptions } from './passphrase.ts';

const keyIdArgument = { name: 'keyid', summary: 'key id, 16 hex characters' };

const product = (summary: string): OptionSpec => ({
  name: 'product',
  value: 'SLUG',
  summary,
  complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
});

const whichProduct = product('product, if several have this key');

/** Keys from elsewhere, and what becomes of a key in its life. */
export const keyChangeCommands: readonly CommandSpec[] = [
  {
    path: 'keys import',
    summary: 'register a key that was created elsewhere',
    description:
      'FILE contains a PEM key (PKCS#8 or SPKI), a 32-byte seed in hex or base64, a minisign or Tauri key, or an appctl key file; - is stdin. 32 raw bytes are a seed unless --public is given. Only the public half is registered. --out stores the private key as an appctl key file, with its old passphrase or a new one; --server-held stores it in the database. The id of a minisign key is kept, because its clients compare it.',
    args: [{ name: 'file', summary: 'key file, public or private', complete: 'file' }],
    options: [
      { ...product('product whose releases it signs'), required: true },
      { name: 'public', summary: 'read 32 raw bytes in FILE as a public key' },
      ...secretOptions('passphrase', 'the passphrase of the key in FILE'),
      { name: 'out', value: 'FILE', summary: 'private key file to write', complete: 'file' },
      ...newPassphraseOptions,
      { name: 'server-held', summary: 'keep the private key in the database, sealed with the master key' },
      { name: 'comment', value: 'TEXT', summary: 'label of the key' },
      { name: 'force', summary: 'replace existing key files' },
    ],
    runs: ['O', 'L', 'R'],
    examples: [
      'appctl keys import editor.pub --product editor',
      'appctl keys import ~/.minisign/minisign.key --product editor --passphrase-env MINISIGN_PASS --out editor.key',
    ],
    confirm: 'mild',
    exits: [3, 4, 5, 6],
    output: () => import('./schemas.ts').then((schemas) => schemas.KeysGenerateOutput),
    load: () => import('./import.ts').then((actions) => actions.importKey),
  },
  {
    path: 'keys rotate',
    summary: 'create a successor key, endorsed by the current one',
    description:
      "The old key stays ACTIVE until the new one takes over. Before then, publish a version that embeds both public keys, so that every client can follow. The new key goes to SLUG.next.key, or into the database if the server holds the old one. KEY is a file, env://VAR, stdin: or store:KEYID. Without its own passphrase the new key gets the old one's.",
    options: [
      { ...product('product whose key changes'), required: true },
      {
        name: 'key',
        value: 'KEY',
        summary: 'the ACTIVE key, unless the server holds it',
        complete: 'file',
      },
      ...secretOptions('passphrase', 'the passphrase of the old key'),
      {
        name: 'to',
        value: 'KEYID',
        summary: 'registered NEXT key to use instead of a new one',
      },
      {
        name: 'out',
        value: 'FILE',
        summary: 'file for the new private key: SLUG.next.key by default',
        complete: 'file',
      },
      ...newPassphraseOptions,
      { name: 'server-held', summary: 'keep the new private key in the database' },
      {
        name: 'overlap',
        value: '30d',
        summary: 'time until the new key takes over',
        type: 'duration',
        default: '30d',
        conflicts: ['activate-at'],
      },
      { name: 'activate-at', value: 'TIME', summary: 'when the new key takes over', conflicts: ['overlap'] },
      { name: 'comment', value: 'TEXT', summary: 'label of the new key' },
      { name: 'force', summary: 'replace existing key files' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl keys rotate --product editor --key editor.key --passphrase-env RELEASE_PASS',
      'appctl keys rotate --product editor --overlap 90d --json | jq -r .next.publicKey',
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.KeysRotateOutput),
    load: () => import('./rotate.ts').then((actions) => actions.rotateKey),
  },
  {
    path: 'keys activate',
    summary: 'activate a NEXT key, and retire the current one',
    description:
      'A rotation does this automatically when its time comes. Clients that only know the old key need a bridging release: one that embeds both keys, is signed by the old key and was published after the new key was registered. Without one for every platform this is refused, and a planned rotation waits. Releases signed by the retired key stay valid; new releases must be signed by the new key. Delegations by the retired key end.',
    args: [keyIdArgument],
    options: [
      whichProduct,
      {
        name: 'strand-old-clients',
        summary: 'activate it even if clients that only know the old key can no longer update',
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl keys activate 3f0a17c2b8d94e61',
      'appctl keys activate 3f0a17c2b8d94e61 --strand-old-clients --yes',
    ],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.KeysActivateOutput),
    load: () => import('./succession.ts').then((actions) => actions.activateKey),
  },
  {
    path: 'keys retire',
    summary: 'stop a key from signing, for good',
    description:
      'Releases that it signed stay published and valid. Retiring a NEXT key cancels its rotation. A product without an ACTIVE key cannot publish releases.',
    args: [keyIdArgument],
    options: [whichProduct],
    runs: ['L', 'R'],
    examples: ['appctl keys retire 3f0a17c2b8d94e61 --yes'],
    confirm: 'moderate',
    exits: [3, 4, 10],
    output: result('retired'),
    load: () => import('./succession.ts').then((actions) => actions.retireKey),
  },
  {
    path: 'keys passphrase',
    summary: 'change or remove the passphrase of a private key file',
    args: [{ name: 'file', summary: 'private key file', complete: 'file' }],
    options: [...secretOptions('passphrase', 'the current passphrase of the key'), ...newPassphraseOptions],
    runs: ['O'],
    examples: [
      'appctl keys passphrase editor.key',
      'appctl keys passphrase editor.key --passphrase-env OLD --new-passphrase-env NEW',
    ],
    confirm: 'mild',
    exits: [4],
    output: result('changed', 'removed'),
    load: () => import('./change-passphrase.ts').then((actions) => actions.changePassphrase),
  },
];
