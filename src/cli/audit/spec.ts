import { one, page } from '../answers.ts';
import type { CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#platform/audit/view.ts');

const auditGroup: GroupSpec = {
  path: 'audit',
  summary: 'see who changed what, and prove that nothing is missing',
};

export const groups: readonly GroupSpec[] = [auditGroup];

const filters: readonly OptionSpec[] = [
  { name: 'actor', value: 'NAME|ID', summary: 'by this person or token' },
  { name: 'action', value: 'ACTION', summary: 'of this kind, for example PRODUCT_UPDATED' },
  {
    name: 'target',
    value: 'TYPE|ID',
    summary: 'of these things or this one: products, prd_…, jobs/purge-audit',
  },
  { name: 'via', value: 'WAY', summary: 'made this way', choices: ['web', 'api', 'cli', 'job'] },
  { name: 'request', value: 'ID', summary: 'made by the request of this id' },
  { name: 'since', value: '7d', summary: 'from then on, or from a date' },
  { name: 'until', value: 'TIME', summary: 'up to then, or with this day' },
  { name: 'search', value: 'TEXT', summary: 'with this text in it' },
];

export const commands: readonly CommandSpec[] = [
  {
    path: 'audit list',
    summary: 'list changes, newest first',
    description:
      'Shows what people, admin tokens and commands changed, and every change of settings. --json has each change with its values before and after. Secrets are shown as ***; what is about a person who was erased as (erased).',
    options: [...filters, ...pageOptions],
    runs: ['L', 'R'],
    examples: [
      'appctl audit list --target products --since 7d',
      'appctl audit list --actor ann --json | jq -r ".items[] | [.at, .action, .target.id] | @tsv"',
    ],
    output: page(views, 'AuditEntryView'),
    load: () => import('./list.ts').then((actions) => actions.listAudit),
  },
  {
    path: 'audit verify',
    summary: 'check that no entry was changed, removed or added',
    description:
      'Reads the whole log. Ends with 6 and the number of the first wrong entry when somebody tampered with it. It prints the end of the log: keep that outside of the installation, and a later check with --anchor also finds that the newest entries were cut off.',
    options: [
      {
        name: 'anchor',
        value: 'FILE',
        summary: 'what an earlier audit verify --json printed',
        complete: 'file',
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl audit verify',
      'appctl audit verify --json > anchor.json',
      'appctl audit verify --anchor anchor.json',
    ],
    exits: [4, 6],
    output: one(views, 'AuditVerdict'),
    load: () => import('./verify.ts').then((actions) => actions.verifyAudit),
  },
  {
    path: 'audit export',
    summary: 'write changes to a file or to stdout',
    description:
      'Reads page by page, so any number of entries fits. Cells that a spreadsheet would run are escaped.',
    options: [
      ...filters,
      { name: 'format', value: 'FORMAT', summary: 'form; jsonl when left out', choices: ['csv', 'jsonl'] },
      { name: 'out', value: 'FILE', summary: 'file to write (mode 0600); - is stdout', complete: 'file' },
      { name: 'force', summary: 'replace an existing file' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl audit export --since 30d --out audit.jsonl',
      'appctl audit export --format csv --out - | gzip > audit.csv.gz',
    ],
    stream: 'ndjson',
    exits: [4, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.AuditExportOutput),
    load: () => import('./export.ts').then((actions) => actions.exportAudit),
  },
];
