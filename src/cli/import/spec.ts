import { licenseTypes } from '../choices.ts';
import type { CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { passphraseOptions } from '../sealing-options.ts';

const importGroup: GroupSpec = {
  path: 'import',
  summary: 'import licenses and customers from other programs',
};

const file: OptionSpec = {
  name: 'file',
  value: 'FILE',
  summary: 'file to read, encrypted or not',
  required: true,
  complete: 'file',
};
const map: OptionSpec = {
  name: 'map',
  value: 'COLUMN=FIELD',
  summary: 'field that a column fills; metadata.NAME stores it as metadata',
  repeat: true,
};
const output = () => import('./schemas.ts').then((schemas) => schemas.ImportOutput);

export const groups: readonly GroupSpec[] = [importGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'import licenses',
    summary: 'import licenses, keeping the keys that customers have',
    description:
      'Reads a native export (with its catalog, customers and machines), or a file from Keygen (JSON or CSV), Lemon Squeezy (CSV or JSON), Cryptlex (CSV) or any CSV. Each row is its own transaction, and existing records stay as they are, so running it again is safe. Try --dry-run first. No webhooks are sent without --fire-events. A native file imports every tenant in it, or only the one in --tenant.',
    options: [
      file,
      {
        name: 'source',
        value: 'SOURCE',
        summary: 'program that wrote the file',
        choices: ['native', 'keygen', 'lemonsqueezy', 'cryptlex', 'csv'],
        required: true,
      },
      {
        name: 'product',
        value: 'SLUG',
        summary: 'product for rows that name none',
        complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
      },
      { name: 'type', value: 'TYPE', summary: 'type for rows that name none', choices: licenseTypes },
      {
        name: 'policy',
        value: 'POLICY',
        summary: 'policy for rows that name none',
        complete: () => import('../completers.ts').then((completers) => completers.completePolicies),
      },
      map,
      { name: 'skip-licenses', summary: 'import everything in a native export except the licenses' },
      { name: 'fire-events', summary: 'send webhooks, as if the licenses were created here' },
      ...passphraseOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl import licenses --file keygen.json --source keygen --product editor --dry-run',
      'appctl import licenses --file licenses.csv --source csv --product editor --map "E-Mail=customerEmail"',
      'appctl import licenses --file appctl.export --source native --passphrase-file pass.txt',
    ],
    confirm: 'mild',
    exits: [3, 4, 6, 7, 130],
    output,
    load: () => import('./import.ts').then((actions) => actions.importLicenses),
  },
  {
    path: 'import customers',
    summary: 'import customers from CSV',
    description:
      'Columns: email, name, metadata (JSON) and metadata.NAME. An existing customer keeps name and metadata; only missing values are filled in.',
    options: [file, map, ...passphraseOptions],
    runs: ['L', 'R'],
    examples: ['appctl import customers --file customers.csv --dry-run'],
    confirm: 'mild',
    exits: [4, 6, 7, 130],
    output,
    load: () => import('./import.ts').then((actions) => actions.importCustomers),
  },
];
