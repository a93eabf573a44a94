import { change, one, page } from '../answers.ts';
import { refundWays, returnConditions, returnStatuses } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec } from '../frame/spec.ts';
import { storePageOptions } from '../paging.ts';

const views = () => import('#storefront/orders/returns/view.ts');
const output = change(views, 'StoreReturnView');

export const returnGroup: GroupSpec = { path: 'store return', summary: 'returns of the shop' };

const returnArgument: ArgSpec = { name: 'return', summary: 'number or id of the return' };
const runs: CommandSpec['runs'] = ['L', 'R'];
const actions = () => import('./returns.ts');

export const returnCommands: readonly CommandSpec[] = [
  {
    path: 'store return list',
    summary: 'list returns, newest first',
    options: [
      { name: 'status', value: 'STATUS', summary: 'only those in this status', choices: returnStatuses },
      { name: 'order', value: 'ORDER', summary: 'only those of this order' },
      { name: 'q', value: 'TEXT', summary: 'only those with TEXT in number, order, email or tracking' },
      ...storePageOptions,
    ],
    runs,
    examples: [
      'appctl store return list --status requested',
      'appctl store return list --order 1001 --json | jq -r ".items[].return_number"',
    ],
    exits: [4],
    output: page(views, 'StoreReturnSummaryView'),
    load: () => actions().then(({ listReturns }) => listReturns),
  },
  {
    path: 'store return show',
    summary: 'show one return with its items, money and messages',
    args: [returnArgument],
    runs,
    examples: ['appctl store return show R1001', 'appctl store return show R1001 --json | jq .items'],
    exits: [3, 4],
    output: one(views, 'StoreReturnView'),
    load: () => actions().then(({ showReturn }) => showReturn),
  },
  {
    path: 'store return approve',
    summary: 'approve everything that a customer wants to return',
    args: [returnArgument],
    options: [
      { name: 'instructions', value: 'TEXT', summary: 'how and where to send it; the customer reads it' },
      { name: 'label-url', value: 'URL', summary: 'where the customer can print a shipping label' },
    ],
    runs,
    examples: ['appctl store return approve R1001 --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output,
    load: () => actions().then(({ approveReturn }) => approveReturn),
  },
  {
    path: 'store return reject',
    summary: 'reject a return',
    args: [returnArgument],
    options: [{ name: 'reason', value: 'TEXT', summary: 'reason; the customer reads it' }],
    runs,
    examples: ['appctl store return reject R1001 --reason "It was worn" --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output,
    load: () => actions().then(({ rejectReturn }) => rejectReturn),
  },
  {
    path: 'store return receive',
    summary: 'record that everything approved has arrived',
    description: 'The goods go back into stock, unless --condition is damaged or --no-restock is given.',
    args: [returnArgument],
    options: [
      { name: 'condition', value: 'STATE', summary: 'condition of the goods', choices: returnConditions },
      { name: 'no-restock', summary: 'do not change the stock' },
    ],
    runs,
    examples: ['appctl store return receive R1001 --condition opened --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output,
    load: () => actions().then(({ receiveReturn }) => receiveReturn),
  },
  {
    path: 'store return refund',
    summary: 'refund what has arrived, less a restocking fee',
    args: [returnArgument],
    options: [
      {
        name: 'fee',
        value: 'AMOUNT',
        summary: 'fee to deduct, such as 2.50; the one from the settings by default',
      },
      {
        name: 'to',
        value: 'WAY',
        summary: 'where the money goes; what the customer asked for by default',
        choices: refundWays,
      },
    ],
    runs,
    examples: ['appctl store return refund R1001 --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output,
    load: () => actions().then(({ refundReturn }) => refundReturn),
  },
  {
    path: 'store return cancel',
    summary: 'cancel a return before anything has arrived',
    args: [returnArgument],
    options: [{ name: 'reason', value: 'TEXT', summary: 'reason, stored in the history of the order' }],
    runs,
    examples: ['appctl store return cancel R1001 --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output,
    load: () => actions().then(({ cancelReturn }) => cancelReturn),
  },
];
