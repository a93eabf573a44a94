import { change, page } from '../answers.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

export const onlineKeysGroup: GroupSpec = {
  path: 'keys online',
  summary: 'keys on the server that sign offline tokens and answers',
};

const product = {
  name: 'product',
  value: 'SLUG',
  complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
} as const;

const views = () => import('#licensing/catalog/keys/view.ts');

export const onlineKeysCommands: readonly CommandSpec[] = [
  {
    path: 'keys delegate',
    summary: 'delegate to an online key, so that it can sign for a product; works offline',
    description:
      'Signs with the root key, the one that signs releases, and prints delegation/… for `keys online delegate`. KEY is a file, env://VAR, stdin: or store:KEYID; only the last opens the database.',
    options: [
      { name: 'product', value: 'SLUG', summary: 'product that the online key signs for', required: true },
      { name: 'key', value: 'KEY', summary: 'root key of the product', required: true, complete: 'file' },
      ...secretOptions('passphrase', 'the passphrase of the root key'),
      { name: 'pub', value: 'BASE64', summary: 'public half of the online key', required: true },
      {
        name: 'use',
        value: 'LIST',
        summary: 'what it may sign, separated by commas',
        default: 'license,timestamp,response',
      },
      {
        name: 'days',
        value: 'N',
        summary: 'how long the delegation is valid',
        type: 'integer',
        min: 1,
        max: 400,
        default: '400',
      },
    ],
    runs: ['O'],
    examples: [
      'appctl keys delegate --product editor --key editor.key --pub nIXLiWRvsVtkW8_7hXtTHvJnS9UeVUwOQaV0kW1Pq7A',
      'appctl keys delegate --product editor --key env://ROOT --pub BASE64 --use license --days 90 > editor.delegation',
    ],
    exits: [3, 4],
    output: () => import('./schemas.ts').then((schemas) => schemas.KeysDelegateOutput),
    load: () => import('./delegate.ts').then((actions) => actions.delegateKey),
  },
  {
    path: 'keys online create',
    summary: 'create the online key of a product',
    description:
      'Its private half never leaves the server. It signs nothing until a root key delegates to it. If the server holds the root key (keys generate --server-held), that happens at once. Otherwise run keys delegate where the root key is, then keys online delegate here.',
    options: [{ ...product, summary: 'product that it signs for', required: true }],
    runs: ['L', 'R'],
    examples: ['appctl keys online create --product editor --json | jq -r .publicKey'],
    confirm: 'mild',
    exits: [3, 4],
    output: change(views, 'OnlineKeyView'),
    load: () => import('./online.ts').then((actions) => actions.createOnlineKey),
  },
  {
    path: 'keys online delegate',
    summary: 'store the delegation of an online key and start using it',
    description:
      'The delegation is verified first: it must be for this key, valid now, at most 400 days long and signed by a root key of the product that is not retired. The previous online key is retired; what it signed stays valid until it expires.',
    args: [{ name: 'keyid', summary: 'key id of the online key, 16 hex characters' }],
    options: [
      {
        name: 'delegation-file',
        value: 'FILE',
        summary: 'what `keys delegate` printed; - is stdin',
        required: true,
        complete: 'file',
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl keys online delegate 3f0a17c2b8d94e61 --delegation-file editor.delegation',
      'appctl keys online delegate 3f0a17c2b8d94e61 --delegation-file - < editor.delegation',
    ],
    confirm: 'mild',
    exits: [3, 4, 5, 6],
    output: change(views, 'OnlineKeyView'),
    load: () => import('./online.ts').then((actions) => actions.storeDelegation),
  },
  {
    path: 'keys online list',
    summary: 'list the online keys and what they may sign',
    options: [{ ...product, summary: 'only the keys of this product' }, ...pageOptions],
    runs: ['L', 'R'],
    examples: ['appctl keys online list', 'appctl keys online list --product editor --json'],
    exits: [4],
    output: page(views, 'OnlineKeyView'),
    load: () => import('./online.ts').then((actions) => actions.listOnlineKeys),
  },
];
