import { licenseTiers, licenseTypes } from '../choices.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, OptionSpec } from '../frame/spec.ts';
import { madeSecretOptions } from '../made-secret-options.ts';

/** How long the license lasts; one of them at most. */
const termOptions: readonly OptionSpec[] = [
  {
    name: 'valid-until',
    value: 'TIME',
    summary: 'when it ends; 2027-01-31 is the end of that day, in local time',
    conflicts: ['days', 'perpetual'],
  },
  {
    name: 'days',
    value: 'N',
    summary: 'days it lasts from now',
    type: 'integer',
    min: 1,
    max: 3660,
    conflicts: ['valid-until', 'perpetual'],
  },
  { name: 'perpetual', summary: 'never expires', conflicts: ['valid-until', 'days'] },
];

const ruleOptions: readonly OptionSpec[] = [
  { name: 'type', value: 'TYPE', summary: "type; else the product's default", choices: licenseTypes },
  { name: 'tier', value: 'TIER', summary: 'tier; else PERSONAL', choices: licenseTiers },
  {
    name: 'max-activations',
    value: 'N',
    summary: 'number of machines or seats',
    type: 'integer',
    min: 1,
    max: 1000,
  },
  ...termOptions,
  {
    name: 'policy',
    value: 'POLICY',
    summary: "name or id; else the product's policy",
    complete: () => import('../completers.ts').then((completers) => completers.completePolicies),
  },
  { name: 'features', value: 'JSON|@FILE', summary: 'features as a JSON object' },
  { name: 'max-uses', value: 'N', summary: 'number of uses', type: 'integer', min: 0 },
  { name: 'max-version', value: 'V', summary: 'newest version it covers, such as 2 or 2.4' },
];

const forceOption: OptionSpec = {
  name: 'force',
  summary: 'mint even for a product that is not sold; replace an existing --out file',
};

export const mintCommand: CommandSpec = {
  path: 'license mint',
  aliases: ['create'],
  summary: 'create a license and its key',
  description:
    'Without a term the default of the product or policy applies. The key is shown on a terminal or with --reveal, or written to the --out file, and masked elsewhere; each is audited. Repeating a call with the same --idempotency-key, here or on the server, gives the same license; calls with an API key share their idempotency keys with the license API.',
  options: [
    {
      name: 'product',
      value: 'SLUG',
      summary: 'slug or id of the product',
      required: true,
      complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
    },
    { name: 'email', value: 'ADDRESS', summary: 'email address of the customer who gets it', required: true },
    { name: 'name', value: 'NAME', summary: 'name of the customer' },
    ...ruleOptions,
    { name: 'order-id', value: 'ID', summary: 'your own order number', conflicts: ['order'] },
    {
      name: 'order',
      value: 'NUMBER',
      summary: 'shop order that it belongs to',
      conflicts: ['order-id'],
    },
    { name: 'meta', value: 'NAME=VALUE', summary: 'metadata', repeat: true },
    { name: 'idempotency-key', value: 'TEXT', summary: 'makes repeating the call safe' },
    {
      name: 'count',
      value: 'N',
      summary: 'number of licenses',
      type: 'integer',
      min: 1,
      max: 10_000,
      default: '1',
    },
    ...secretOptions('key', 'your own key'),
    ...madeSecretOptions('the key').map((option) => (option.name === 'force' ? forceOption : option)),
  ],
  runs: ['L', 'R'],
  examples: [
    'appctl license mint --product editor --email ann@example.com --days 365',
    'appctl license mint --product editor --email bob@example.com --type FLOATING --max-activations 5 --policy office --reveal',
    'appctl license mint --product editor --email bob@example.com --features \'{"export":true}\' --reveal --json | jq -r .key',
    'appctl license mint --product editor --email ann@example.com --key-file key.txt',
    'appctl license mint --product editor --email shop@example.com --count 100 --out keys.txt',
  ],
  confirm: 'mild',
  exits: [3, 5, 7],
  output: () => import('./schemas.ts').then((schemas) => schemas.LicenseMintOutput),
  load: () => import('./mint.ts').then((actions) => actions.mintLicense),
};

export const mintBulkCommand: CommandSpec = {
  path: 'license mint-bulk',
  summary: 'create the licenses of a CSV or JSON Lines file',
  description:
    'Columns are the fields of the API or the options of mint: product, email, name, type, tier, maxActivations, validUntil, days, perpetual, policy, features, maxVersion, maxUses, orderId, notes, metadata (JSON), metadata.NAME and idempotencyKey. Each row is its own transaction, and the report lists each row with its license or its error. A row is identified by its idempotencyKey, or else by product, email and order. After you fix the rows that failed, --resume mints only what is missing: a customer who has a license does not get a second one. Line n of the --out file is the key of row n; it is empty if the row failed, so that lines match rows. Without --resume, a file with rows that were already minted is refused.',
  args: [
    { name: 'file', summary: 'CSV with a header, or one JSON object per line; - is stdin', complete: 'file' },
  ],
  options: [
    { name: 'resume', summary: 'mint only the rows that have no license yet' },
    {
      name: 'idempotency-key',
      value: 'TEXT',
      summary: 'name of the run; under a new name, all rows are minted again',
    },
    ...madeSecretOptions('the keys'),
  ],
  runs: ['L', 'R'],
  examples: [
    'appctl license mint-bulk customers.csv --out keys.txt',
    'appctl license mint-bulk customers.csv --resume',
    'jq -c .[] orders.json | appctl license mint-bulk - --idempotency-key orders-2026-05 --json',
  ],
  confirm: 'mild',
  exits: [5, 7],
  output: () => import('./schemas.ts').then((schemas) => schemas.LicenseMintBulkOutput),
  load: () => import('./mint-bulk.ts').then((actions) => actions.mintBulk),
};
