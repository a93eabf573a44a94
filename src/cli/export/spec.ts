import type { CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { passphraseOptions } from '../sealing-options.ts';
import { outOptions } from './stream-options.ts';

const exportGroup: GroupSpec = { path: 'export', summary: 'export data to files' };

const since: OptionSpec = {
  name: 'since',
  value: 'TIME',
  summary: 'only what changed since then: 30d, or a date such as 2027-01-31',
};
const includeKeys: OptionSpec = {
  name: 'include-keys',
  summary: 'include full license keys; audited, asks first',
};
const format: OptionSpec = {
  name: 'format',
  value: 'FORMAT',
  summary: 'format; jsonl, the native one, by default',
  choices: ['csv', 'jsonl'],
};
const output = () => import('./schemas.ts').then((schemas) => schemas.ExportOutput);

/** One kind of rows in a file of its own. */
const kindCommand = (
  name: string,
  summary: string,
  load: CommandSpec['load'],
  options: readonly OptionSpec[] = [],
): CommandSpec => ({
  path: `export ${name}`,
  summary,
  description:
    'CSV uses the column names of the native format; cells that a spreadsheet would run as formulas are escaped. Streams page by page, so any number is fine.',
  options: [format, since, ...options, ...passphraseOptions, ...outOptions],
  runs: ['L', 'R'],
  examples: [
    `appctl export ${name} --format csv --out ${name}.csv`,
    `appctl export ${name} --since 2027-01-01 --json`,
  ],
  stream: 'ndjson',
  exits: [4, 5, 6, ...(options.includes(includeKeys) ? [10] : []), 130],
  output,
  load,
});

export const groups: readonly GroupSpec[] = [exportGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'export all',
    summary: 'write tenants, products, policies, customers, licenses and machines to one file',
    description:
      'Writes the native format: JSON Lines that `import licenses --source native` loads into another installation with ids, keys, dates and machines. Without --include-keys the licenses cannot be imported. Without --tenant every tenant is written; a server only allows that to staff of the whole installation. A passphrase encrypts the file. Private signing keys, API keys, webhooks, honeypots and the timeline are not exported.',
    options: [includeKeys, since, ...passphraseOptions, ...outOptions],
    runs: ['L', 'R'],
    examples: [
      'appctl export all --include-keys --passphrase-file pass.txt --out appctl.export --yes',
      'appctl export all --out - | gzip > catalog.jsonl.gz',
    ],
    stream: 'ndjson',
    exits: [4, 5, 6, 10, 130],
    output,
    load: () => import('./export.ts').then((actions) => actions.exportAll),
  },
  kindCommand(
    'licenses',
    'write the licenses of a tenant',
    () => import('./export.ts').then((actions) => actions.exportLicenses),
    [includeKeys],
  ),
  kindCommand('customers', 'write the customers of a tenant', () =>
    import('./export.ts').then((actions) => actions.exportCustomers),
  ),
  kindCommand('products', 'write the products of a tenant', () =>
    import('./export.ts').then((actions) => actions.exportProducts),
  ),
  kindCommand('policies', 'write the policies of a tenant', () =>
    import('./export.ts').then((actions) => actions.exportPolicies),
  ),
];
