import { change, page } from '../answers.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#licensing/licenses/offline-tokens/view.ts');

const idArgument = { name: 'id', summary: 'id of the license' };

export const tokenCommands: readonly CommandSpec[] = [
  {
    path: 'license token',
    summary: 'issue an offline token for a machine without a network',
    description:
      'The token goes to stdout; with --qr it is also drawn on stderr. It expires with the earliest of: --days, what the policy allows, the license and its grace period, the lease of a floating seat, the delegation of the online key. It cannot be revoked before that.',
    args: [idArgument],
    options: [
      { name: 'machine', value: 'ID', summary: 'machine that the token is for', required: true },
      {
        name: 'days',
        value: 'N',
        summary: 'how long the token is valid',
        type: 'integer',
        min: 1,
        max: 400,
        default: '30',
      },
      { name: 'activate', summary: 'bind the license to the machine first, if needed' },
      { name: 'qr', summary: 'also draw it as a QR code' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl license token lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --machine machine-0001 --days 90 --activate --qr',
      'appctl license token lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --machine machine-0001 --json | jq -r .token',
    ],
    confirm: 'mild',
    exits: [3, 5],
    output: change(views, 'TokenTextView'),
    load: () => import('./token.ts').then((actions) => actions.issueToken),
  },
  {
    path: 'license tokens',
    summary: 'list the offline tokens that were issued for a license',
    args: [idArgument],
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl license tokens lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV'],
    exits: [3],
    output: page(views, 'IssuedTokenView'),
    load: () => import('./token.ts').then((actions) => actions.listTokens),
  },
];
