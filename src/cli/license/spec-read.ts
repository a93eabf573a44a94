import { licenseStatuses, licenseTiers, licenseTypes } from '../choices.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { ArgSpec, CommandSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const idArgument: ArgSpec = { name: 'id', summary: 'id of the license' };
/** A key is a secret: it comes from a file or a pipe, never from the command line. */
const keyOptions = secretOptions('key', 'the license key', ['file', 'stdin']);

const filters: readonly OptionSpec[] = [
  {
    name: 'product',
    value: 'SLUG',
    summary: 'only this product',
    complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
  },
  { name: 'status', value: 'STATUS', summary: 'only those with this status now', choices: licenseStatuses },
  { name: 'type', value: 'TYPE', summary: 'only this type', choices: licenseTypes },
  { name: 'tier', value: 'TIER', summary: 'only this tier', choices: licenseTiers },
  {
    name: 'policy',
    value: 'POLICY',
    summary: 'only those with this policy set on the license itself',
    complete: () => import('../completers.ts').then((completers) => completers.completePolicies),
  },
  { name: 'email', value: 'ADDRESS', summary: 'only those of this customer' },
  { name: 'order-id', value: 'ID', summary: 'only those of this order' },
  { name: 'machine', value: 'ID', summary: 'only those active on this machine' },
  {
    name: 'expiring',
    value: '30d',
    summary: 'only those ACTIVE and ending within this time',
    type: 'duration',
  },
  {
    name: 'stale',
    value: '14d',
    summary: 'only those with a machine not seen for this long',
    type: 'duration',
  },
  {
    name: 'q',
    value: 'TEXT',
    summary: 'only those with TEXT in email address, name, key prefix, order, id or machine',
  },
];

export const readCommands: readonly CommandSpec[] = [
  {
    path: 'license list',
    summary: 'list licenses, newest first',
    options: [...filters, { name: 'trashed', summary: 'list the trash instead' }, ...pageOptions],
    runs: ['L', 'R'],
    examples: [
      'appctl license list --product editor --status ACTIVE',
      'appctl license list --expiring 30d --csv > expiring.csv',
      'appctl license list --email ann@example.com --json | jq -r ".items[].id"',
    ],
    exits: [3, 4],
    output: () => import('./schemas.ts').then((schemas) => schemas.LicensePage),
    load: () => import('./read.ts').then((actions) => actions.listLicenses),
  },
  {
    path: 'license find',
    summary: 'find licenses by email address, order number, key prefix, id or machine',
    description: 'Pass a whole key by stdin or file, because other users can see command lines.',
    args: [{ name: 'text', summary: 'what to look for', optional: true }],
    options: [...keyOptions, ...pageOptions],
    runs: ['L', 'R'],
    examples: [
      'appctl license find ann@example.com',
      'appctl license find APP-7F3K',
      'appctl license find --key-stdin < key.txt',
    ],
    exits: [3, 4],
    output: () => import('./schemas.ts').then((schemas) => schemas.LicensePage),
    load: () => import('./read.ts').then((actions) => actions.findLicenses),
  },
  {
    path: 'license show',
    summary: 'show one license',
    args: [{ ...idArgument, optional: true }],
    options: [
      ...keyOptions,
      { name: 'machines', summary: 'include the machines it is active on' },
      { name: 'usage', summary: 'include its usage counter' },
      { name: 'events', summary: 'include the newest 100 entries of its timeline' },
      { name: 'reveal', summary: 'show the whole key; audited' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl license show lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --machines --usage --events',
      'appctl license show --key-stdin --json < key.txt',
    ],
    exits: [3, 4],
    output: () => import('./schemas.ts').then((schemas) => schemas.LicenseShowOutput),
    load: () => import('./read.ts').then((actions) => actions.showLicense),
  },
  {
    path: 'license reveal',
    summary: 'print the whole key of a license; audited',
    args: [idArgument],
    options: [{ name: 'reason', value: 'TEXT', summary: 'why', required: true }],
    runs: ['L', 'R'],
    examples: ['appctl license reveal lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --reason "ticket 4711"'],
    exits: [3, 4],
    output: () => import('./schemas.ts').then((schemas) => schemas.LicenseKeyOutput),
    load: () => import('./read.ts').then((actions) => actions.revealLicense),
  },
  {
    path: 'license validate',
    summary: 'show how the API would answer a client, and why',
    args: [{ name: 'id', summary: 'id of the license, instead of its key', optional: true }],
    description:
      'Changes nothing. Exits with 5 if the license is not valid there; `explain` lists the rules in order.',
    options: [
      ...keyOptions,
      {
        name: 'license',
        value: 'ID',
        summary: 'the same as ID',
        conflicts: ['key-file', 'key-stdin'],
      },
      { name: 'machine', value: 'ID', summary: 'id of the machine that asks', required: true },
      { name: 'app-version', value: 'V', summary: 'version of the application that asks' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl license validate lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --machine machine-0001',
      'appctl license validate --key-stdin --machine machine-0001 --json < key.txt | jq .explain',
    ],
    exits: [3, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.LicenseValidateOutput),
    load: () => import('./validate.ts').then((actions) => actions.validateLicense),
  },
  {
    path: 'license export',
    summary: 'write licenses to a file or stdout',
    description:
      "Streams page by page, so any number of licenses is fine. Keys are masked unless you add --reveal, which is recorded in each license's timeline. CSV cells that a spreadsheet would run as formulas are escaped.",
    options: [
      ...filters,
      {
        name: 'format',
        value: 'FORMAT',
        summary: 'format; jsonl by default',
        choices: ['csv', 'jsonl', 'json'],
      },
      { name: 'reveal', summary: 'show whole keys; audited' },
      { name: 'out', value: 'FILE', summary: 'file to write (mode 0600); - for stdout', complete: 'file' },
      { name: 'force', summary: 'replace an existing file' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl license export --format csv --out licenses.csv',
      'appctl license export --product editor --format jsonl --out - | gzip > editor.jsonl.gz',
    ],
    stream: 'ndjson',
    exits: [3, 4, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.LicenseExportOutput),
    load: () => import('./export.ts').then((actions) => actions.exportLicenses),
  },
  {
    path: 'license machines list',
    summary: 'list the machines that a license is active on',
    args: [idArgument],
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl license machines list lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV'],
    exits: [3, 4],
    output: () => import('./schemas.ts').then((schemas) => schemas.ActivationPage),
    load: () => import('./machines-list.ts').then((actions) => actions.listMachines),
  },
];
