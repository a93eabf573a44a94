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
  { name: 'actor', value: 'NAME|ID', summary: 'made by this person or token' },
  { name: 'action', value: 'ACTION', summary: 'of this kind, such as PRODUCT_UPDATED' },
  {
    name: 'target',
    value: 'TYPE|ID',
    summary: 'made to these things or this one: products, prd_…, jobs/purge-audit',
  },
  { name: 'via', value: 'WAY', summary: 'where the change was made', choices: ['web', 'api', 'cli', 'job'] },
  { name: 'request', value: 'ID', summary: 'made by the request with this id' },
  { name: 'since', value: '7d', summary: 'since then: a time ago such as 7d, or a date' },
  { name: 'until', value: 'TIME', summary: 'until then: a time ago, or a date including that day' },
  { name: 'search', value: 'TEXT', summary: 'containing this text' },
];

export const commands: readonly CommandSpec[] = [
  {
    path: 'audit list',
    summary: 'list changes, newest first',
    description:
      'Shows what people, admin tokens and commands changed, and every change to settings. --json includes the values before and after each change. Secrets are shown as ***, and data about erased people as (erased).',
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
      'Reads the whole log. If it was tampered with, exits with 6 and the number of the first bad entry. It prints the end of the log: keep that outside the installation, so that a later check with --anchor also detects missing newest entries.',
    options: [
      {
        name: 'anchor',
        value: 'FILE',
        summary: 'output of an earlier audit verify --json',
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
    summary: 'write audit log entries to a file or stdout',
    description:
      'Streams page by page, so any number of entries is fine. Cells that a spreadsheet would run as formulas are escaped.',
    options: [
      ...filters,
      { name: 'format', value: 'FORMAT', summary: 'format; jsonl by default', choices: ['csv', 'jsonl'] },
      { name: 'out', value: 'FILE', summary: 'file to write (mode 0600); - for stdout', complete: 'file' },
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
