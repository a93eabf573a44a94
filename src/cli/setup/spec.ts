import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'setup',
    aliases: ['init'],
    summary: 'set up the installation and its owner',
    description:
      'Creates what is missing (data directory, master key, database, schema), then the owner and, if asked, a first product and sample data for the shop. On a terminal it asks for what the flags do not say and writes nothing before "Apply?"; an authenticator app for the owner comes last. Running it again is safe, also while a server is running.',
    options: [
      {
        name: 'answers',
        value: 'FILE',
        summary: 'TOML file with the names of these flags, data-dir and db',
        complete: 'file',
      },
      { name: 'base-url', value: 'URL', summary: 'public address, for links', config: 'base_url' },
      { name: 'owner-email', value: 'EMAIL', summary: "the owner's email address" },
      { name: 'owner-name', value: 'NAME', summary: "the owner's name (Owner)" },
      ...secretOptions('owner-password', "the owner's password"),
      {
        name: 'generate-password',
        summary: 'generate a password for the owner and print it once',
        conflicts: ['owner-password-file', 'owner-password-stdin', 'owner-password-env'],
      },
      { name: 'product', value: 'SLUG', summary: 'also create this license product' },
      { name: 'product-name', value: 'NAME', summary: 'its name (SLUG)' },
      {
        name: 'signing-key',
        value: 'FILE',
        summary: 'also create a key that signs its releases; the private key goes to FILE',
        complete: 'file',
      },
      { name: 'sample-data', summary: 'also fill the shop with sample data' },
      {
        name: 'write-config',
        value: 'FILE',
        summary: 'configuration file to write ({data_dir}/appctl.toml, if there is anything to write)',
        complete: 'file',
      },
      {
        name: 'fresh',
        summary: 'start a new installation if the database of this data directory is missing or empty',
      },
      { name: 'force', summary: 'set this email and password for an existing owner, and replace files' },
    ],
    runs: ['L'],
    examples: [
      'appctl setup',
      'appctl setup --no-input --owner-email ops@example.com --generate-password --json',
      'appctl setup --sample-data',
      'appctl setup --no-input --owner-email ops@example.com --owner-password-file pw --product editor --signing-key editor.key',
    ],
    confirm: 'mild',
    exits: [5, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.SetupOutput),
    load: () => import('./setup.ts').then((actions) => actions.runSetup),
  },
  {
    path: 'setup token',
    summary: 'create a new link to set up the owner in a browser',
    description:
      'For an installation without an owner, if the link that serve printed was lost or has expired. The older link stops working. The new one is also in the file setup-token of the data directory.',
    options: [{ name: 'ttl', value: '30m', summary: 'how long it works', type: 'duration', default: '30m' }],
    runs: ['L'],
    examples: ['appctl setup token', 'appctl setup token --ttl 2h --json | jq -r .url'],
    confirm: 'mild',
    dryRun: false,
    exits: [5],
    output: () => import('../admin-user/schemas.ts').then((schemas) => schemas.LinkOutput),
    load: () => import('./token.ts').then((actions) => actions.makeSetupToken),
  },
];
