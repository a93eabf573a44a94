import { change, one, page, withSecret } from '../answers.ts';
import { licenseScopes, storeScopes } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { madeSecretOptions } from '../made-secret-options.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#platform/api-keys/view.ts');

const apikeyGroup: GroupSpec = { path: 'apikey', summary: 'manage API keys for programs' };

const idArgument: ArgSpec = { name: 'id', summary: 'id of the API key, as apikey list shows it' };
const secret = madeSecretOptions('the secret');
const product = {
  name: 'product',
  value: 'SLUG',
  repeat: true,
  complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
} as const;
const ip = { name: 'ip', value: 'CIDR', repeat: true } as const;
const origin = { name: 'origin', value: 'ORIGIN', repeat: true } as const;
const limit: OptionSpec = {
  name: 'limit',
  value: 'BUCKET=N/WINDOW',
  summary:
    'its own rate limit for write, heartbeat or offline_token: write=600/15m, write=none, write=default',
  repeat: true,
};
const expires: OptionSpec = {
  name: 'expires',
  value: '90d|DATE',
  summary: 'when it expires: after this time, or at the end of this day',
};

export const groups: readonly GroupSpec[] = [apikeyGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'apikey create',
    summary: 'create an API key',
    description:
      'The secret is shown once: on a terminal, with --json or --reveal, or in the --out file. Only a hash is stored, so nobody can read it again.',
    options: [
      {
        name: 'service',
        value: 'SERVICE',
        summary: 'API that it gives access to',
        choices: ['license', 'store'],
        required: true,
      },
      { name: 'name', value: 'NAME', summary: 'name that says what it is for', required: true },
      {
        name: 'scope',
        value: 'SCOPE',
        summary:
          'permission; exactly one for the license API, one or more for the shop, from products:read to settings:write',
        choices: [...licenseScopes, ...storeScopes],
        choicesBy: { option: 'service', of: { license: licenseScopes, store: storeScopes } },
        repeat: true,
        required: true,
      },
      { ...product, summary: 'limit it to this product' },
      { ...ip, summary: 'accept it only from this IP address or CIDR block' },
      { ...origin, summary: 'let browser pages from this origin use it (CORS)' },
      limit,
      expires,
      ...secret,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl apikey create --service license --name app --scope VALIDATE_ONLY --reveal',
      'appctl apikey create --service store --name sync --scope products:write --scope inventory:write --out sync.key',
      'appctl apikey create --service license --name ci --scope FULL_ADMIN --json | jq -r .secret',
      'appctl apikey create --service license --name shop --scope CREATE_LICENSE --product editor --ip 203.0.113.0/24 --expires 90d --out shop.key',
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: withSecret(views, 'ApiKeyView'),
    load: () => import('./create.ts').then((actions) => actions.createApiKey),
  },
  {
    path: 'apikey list',
    summary: 'list the API keys',
    options: [
      {
        name: 'service',
        value: 'SERVICE',
        summary: 'keys for this API; license by default',
        choices: ['license', 'store'],
      },
      ...pageOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl apikey list',
      'appctl apikey list --service store',
      'appctl apikey list --json | jq -r ".items[].id"',
    ],
    exits: [4],
    output: page(views, 'ApiKeyView'),
    load: () => import('./read.ts').then((actions) => actions.listApiKeys),
  },
  {
    path: 'apikey show',
    summary: 'show one API key, and which rate limits refused its requests',
    args: [idArgument],
    runs: ['L', 'R'],
    examples: ['appctl apikey show key_01J9ZK3T5W8Y2QF4M6N7P0R1SV'],
    exits: [3, 4],
    output: one(views, 'ApiKeyDetails'),
    load: () => import('./read.ts').then((actions) => actions.showApiKey),
  },
  {
    path: 'apikey update',
    summary: 'change the name, products, addresses, limits or expiry of an API key',
    description:
      'A list you give replaces the old one; --limit changes only the limits it names. A running server applies a new limit to the next request. Scope and service cannot change: create a new key instead.',
    args: [idArgument],
    options: [
      { name: 'name', value: 'NAME', summary: 'new name' },
      { ...product, summary: 'limit it to this product' },
      { ...ip, summary: 'accept it only from this IP address or CIDR block' },
      { ...origin, summary: 'let browser pages from this origin use it (CORS)' },
      limit,
      expires,
      {
        name: 'clear',
        value: 'FIELD',
        summary: 'remove a restriction',
        choices: ['product', 'ip', 'origin', 'limit', 'expires'],
        repeat: true,
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl apikey update key_01J9ZK3T5W8Y2QF4M6N7P0R1SV --name "build server"',
      'appctl apikey update key_01J9ZK3T5W8Y2QF4M6N7P0R1SV --ip 203.0.113.7 --clear expires',
      'appctl apikey update key_01J9ZK3T5W8Y2QF4M6N7P0R1SV --limit write=600/15m',
    ],
    confirm: 'mild',
    exits: [3, 4],
    output: change(views, 'ApiKeyView'),
    load: () => import('./update.ts').then((actions) => actions.updateApiKey),
  },
  {
    path: 'apikey revoke',
    summary: 'revoke an API key immediately and for good',
    args: [idArgument],
    runs: ['L', 'R'],
    examples: ['appctl apikey revoke key_01J9ZK3T5W8Y2QF4M6N7P0R1SV --yes'],
    confirm: 'moderate',
    exits: [3, 4, 10],
    output: change(views, 'ApiKeyView'),
    load: () => import('./update.ts').then((actions) => actions.revokeApiKey),
  },
  {
    path: 'apikey rotate',
    summary: 'replace the secret of an API key',
    description:
      'The old secret stays valid during the overlap, so that clients can switch; 0s ends it immediately. A second rotation during the overlap asks first: it ends the secret before the old one.',
    args: [idArgument],
    options: [
      {
        name: 'overlap',
        value: '24h',
        summary: 'how long the old secret stays valid',
        type: 'duration',
        default: '24h',
      },
      ...secret,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl apikey rotate key_01J9ZK3T5W8Y2QF4M6N7P0R1SV --out new.key',
      'appctl apikey rotate key_01J9ZK3T5W8Y2QF4M6N7P0R1SV --overlap 0s --json | jq -r .secret',
    ],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: withSecret(views, 'ApiKeyView'),
    load: () => import('./rotate.ts').then((actions) => actions.rotateApiKey),
  },
];
