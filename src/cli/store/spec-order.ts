import { change, page } from '../answers.ts';
import { orderStatuses, paymentStatuses } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { storePageOptions } from '../paging.ts';

const views = () => import('#storefront/orders/desk/view.ts');
const output = change(views, 'StoreOrderView');

export const orderGroup: GroupSpec = { path: 'store order', summary: 'orders of the shop' };

const orderArgument: ArgSpec = { name: 'order', summary: 'number or id of the order' };
const reason = (why: string): OptionSpec => ({ name: 'reason', value: 'TEXT', summary: why });
const runs: CommandSpec['runs'] = ['L', 'R'];

export const orderCommands: readonly CommandSpec[] = [
  {
    path: 'store order list',
    summary: 'list the orders that were placed, newest first',
    options: [
      { name: 'status', value: 'STATUS', summary: 'only those in this status', choices: orderStatuses },
      {
        name: 'payment',
        value: 'STATUS',
        summary: 'only those with this payment status',
        choices: paymentStatuses,
      },
      { name: 'q', value: 'TEXT', summary: 'only those with TEXT in number, email or SKU' },
      { name: 'tag', value: 'TAG', summary: 'only those with this tag' },
      { name: 'not-placed', summary: 'list drafts and orders waiting for payment instead' },
      ...storePageOptions,
    ],
    runs,
    examples: [
      'appctl store order list --status processing',
      'appctl store order list --q ann@example.com --json | jq -r ".items[].order_number"',
    ],
    exits: [4],
    output: page(views, 'StoreOrderSummaryView'),
    load: () => import('./orders.ts').then((actions) => actions.listOrders),
  },
  {
    path: 'store order show',
    summary: 'show one order with its items, money, licenses and history',
    args: [orderArgument],
    runs,
    examples: ['appctl store order show 1001', 'appctl store order show 1001 --json | jq .totals'],
    exits: [3, 4],
    output: () => import('./schemas.ts').then((schemas) => schemas.OrderWithLicenses),
    load: () => import('./orders.ts').then((actions) => actions.showOrder),
  },
  {
    path: 'store order ship',
    summary: 'ship everything left in an order as one parcel',
    args: [orderArgument],
    options: [
      { name: 'carrier', value: 'NAME', summary: 'carrier' },
      { name: 'tracking', value: 'NUMBER', summary: 'tracking number' },
      { name: 'tracking-url', value: 'URL', summary: 'where the customer can follow it' },
      { name: 'no-notify', summary: 'do not email the customer' },
    ],
    runs,
    examples: ['appctl store order ship 1001 --carrier UPS --tracking 1Z999'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output,
    load: () => import('./orders.ts').then((actions) => actions.shipOrder),
  },
  {
    path: 'store order complete',
    summary: 'complete an order that is shipped and paid',
    args: [orderArgument],
    options: [{ name: 'force', summary: 'complete it even if units are not shipped or money is due' }],
    runs,
    examples: ['appctl store order complete 1001 --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output,
    load: () => import('./orders.ts').then((actions) => actions.completeOrder),
  },
  {
    path: 'store order cancel',
    summary: 'cancel an order, or what is not shipped yet',
    description: 'Goods go back into stock. Payments are only refunded with --refund.',
    args: [orderArgument],
    options: [
      reason('reason, stored in the history of the order'),
      { name: 'refund', summary: 'refund what was paid for it' },
      { name: 'no-restock', summary: 'do not change the stock' },
      { name: 'no-notify', summary: 'do not email the customer' },
    ],
    runs,
    examples: ['appctl store order cancel 1001 --reason "Asked by phone" --refund --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output,
    load: () => import('./orders.ts').then((actions) => actions.cancelOrder),
  },
  {
    path: 'store order refund',
    summary: 'refund an order to its original payment methods',
    args: [orderArgument],
    options: [
      { name: 'amount', value: 'AMOUNT', summary: 'in the currency of the order, such as 19.00' },
      reason('reason; the customer may read it'),
      { name: 'no-notify', summary: 'do not email the customer' },
    ],
    runs,
    examples: ['appctl store order refund 1001 --amount 19.00 --reason "A scratch" --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output,
    load: () => import('./orders.ts').then((actions) => actions.refundOrder),
  },
  {
    path: 'store order note',
    summary: 'add a note to the history of an order',
    args: [orderArgument, { name: 'text', summary: 'the note' }],
    options: [{ name: 'visible', summary: 'show it to the customer too' }],
    runs,
    examples: ['appctl store order note 1001 "Call before delivery"'],
    confirm: 'mild',
    exits: [3, 4],
    output,
    load: () => import('./orders.ts').then((actions) => actions.noteOrder),
  },
];
