import { licenseTypes } from '../choices.ts';
import type { CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { passphraseOptions } from '../sealing-options.ts';

const importGroup: GroupSpec = {
  path: 'import',
  summary: 'import licenses, customers and products of other programs',
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
  summary: 'which field a column fills; metadata.NAME keeps it',
  repeat: true,
};
const output = () => import('./schemas.ts').then((schemas) => schemas.ImportOutput);

export const groups: readonly GroupSpec[] = [importGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'import licenses',
    summary: 'import licenses with the keys that their customers have',
    description:
      'From a native export (with its catalog, customers and machines), or from Keygen (JSON or CSV), Lemon Squeezy (CSV or JSON), Cryptlex (CSV) or any CSV. Each row is a transaction of its own, and what is there already is left as it is: running it again is safe. Try --dry-run first. Webhooks hear nothing unless --fire-events. A native file brings in every tenant that it holds, or with --tenant that one alone.',
    options: [
      file,
      {
        name: 'source',
        value: 'SOURCE',
        summary: 'what wrote the file',
        choices: ['native', 'keygen', 'lemonsqueezy', 'cryptlex', 'csv'],
        required: true,
      },
      {
        name: 'product',
        value: 'SLUG',
        summary: 'product of licenses whose row names none',
        complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
      },
      { name: 'type', value: 'TYPE', summary: 'type where the source states none', choices: licenseTypes },
      {
        name: 'policy',
        value: 'POLICY',
        summary: 'policy of licenses whose row names none',
        complete: () => import('../completers.ts').then((completers) => completers.completePolicies),
      },
      map,
      { name: 'skip-licenses', summary: 'of a native export bring in the rest alone' },
      { name: 'fire-events', summary: 'tell webhooks, as if the licenses were made here' },
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
      'Columns: email, name, metadata (JSON) and metadata.NAME. A customer whose address is there keeps name and metadata; what is missing is filled in.',
    options: [file, map, ...passphraseOptions],
    runs: ['L', 'R'],
    examples: ['appctl import customers --file customers.csv --dry-run'],
    confirm: 'mild',
    exits: [4, 6, 7, 130],
    output,
    load: () => import('./import.ts').then((actions) => actions.importCustomers),
  },
];
