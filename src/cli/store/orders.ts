import type { StoreOrderShown, StoreOrderSummaryShown } from '#storefront/orders/desk/view.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { centsIn, words } from './amounts.ts';
import { licenseEndpoints, licenseLine, licensesOf, missingLine } from './order-licenses.ts';
import { refundSaid } from './refund-words.ts';
import { type Answer, loadStoreApi, orListed, pageAt } from './twin.ts';

const twins = async () => {
  const [licenses, order, refunds, shipments] = await Promise.all([
    licenseEndpoints(),
    import('#storefront/orders/desk/resource.ts'),
    import('#storefront/orders/desk/endpoints.store.ts'),
    import('#storefront/orders/shipments/resource.ts'),
  ]);
  return [
    ...licenses,
    ...order.orderResource.endpoints('store'),
    ...refunds.refundEndpoints,
    ...shipments.orderShipmentResource.endpoints('store'),
  ];
};

const withOrders = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);

const columns: readonly Column<StoreOrderSummaryShown>[] = [
  { key: 'order_number', title: 'number' },
  { key: 'placed_at', title: 'placed', time: true },
  { key: 'email' },
  { key: 'item_count', title: 'items', align: 'right' },
  { key: 'total_cents', title: 'total', align: 'right', text: (order) => words(order.total_cents, order) },
  { key: 'status' },
  { key: 'payment_status', title: 'payment' },
  { key: 'fulfillment_status', title: 'fulfillment' },
  { key: 'id' },
];

/** What went back is not asked for again. */
const dueOf = ({ due_cents: open, refunded_cents: refunded }: StoreOrderShown): number =>
  open > 0 ? Math.max(0, open - refunded) : open;

/** A file with how often and how long it can still be downloaded. */
function downloadWords(one: StoreOrderShown['downloads'][number]): string {
  const { downloads_left: left, downloads_used: used, expires_at: until } = one;
  const count = left === null ? `${used} used` : `${used} used, ${left} left`;
  return `${one.file_name}  ${count}${until === null ? '' : `, until ${until}`}`;
}

const orderCard = (order: StoreOrderShown, more: readonly (readonly [string, string])[] = []) =>
  card([
    ['number', order.order_number],
    ['id', order.id],
    ['customer', order.email],
    ['status', order.status],
    ['payment', order.payment_status],
    ['fulfillment', order.fulfillment_status],
    ...order.items.map(
      (item) => [item.sku, `${item.quantity} × ${item.title}  ${words(item.total_cents, order)}`] as const,
    ),
    ...order.downloads.map((one) => ['download', downloadWords(one)] as const),
    ['shipping', words(order.shipping_cents - order.shipping_discount_cents, order)],
    ['tax', words(order.tax_cents, order)],
    ['total', words(order.total_cents, order)],
    ['due', words(dueOf(order), order)],
    ['refunded', words(order.refunded_cents, order)],
    ...more,
    ['tags', order.tags],
    ['placed', order.placed_at],
  ]);

const nameOf = ({ order_number: number, id }: StoreOrderShown): string => `order ${number ?? id}`;
const read = async (desk: Desk, name: string): Promise<StoreOrderShown> =>
  (await orListed('store order', desk.get<Answer<StoreOrderShown>>(at`orders/${name}`))).data;

/** `appctl store order list`. */
export function listOrders(cli: Cli): Promise<void> {
  const asked = {
    ...pageAsked(cli),
    status: cli.option('status'),
    payment_status: cli.option('payment'),
    q: cli.option('q') || undefined,
    tag: cli.option('tag'),
    placed: cli.flag('not-placed') ? false : undefined,
  };
  return withOrders(cli, async (desk) =>
    cli.out.page(await pageAt<StoreOrderSummaryShown>(desk, 'orders', asked), columns),
  );
}

/** `appctl store order show ORDER`. */
export function showOrder(cli: Cli): Promise<void> {
  return withOrders(cli, async (desk) => {
    const order = await read(desk, cli.argument('order'));
    const { data: licenses, missing } = await licensesOf(desk, order.id);
    const missing_licenses = missing.map(({ title, units, error }) => ({ title, units, error }));
    await cli.out.value(
      { ...order, licenses, missing_licenses },
      orderCard(order, [
        ...licenses.map((one) => ['license', licenseLine(one)] as const),
        ...missing.map((one) => missingLine(one, order)),
      ]),
    );
  });
}

/** Does something with an order and shows what became of it. @param said after its name; work may say it itself */
async function changed(
  cli: Cli,
  said: string,
  work: (desk: Desk, before: StoreOrderShown) => Promise<unknown>,
): Promise<void> {
  return withOrders(cli, async (desk) => {
    const before = await read(desk, cli.argument('order'));
    const told = await work(desk, before);
    const after = await read(desk, before.id);
    await cli.out.value(planned(cli, after), orderCard(after));
    noteChange(cli, typeof told === 'string' ? told : `${nameOf(after)} ${said}`);
  });
}

/** `appctl store order ship ORDER`. */
export const shipOrder = (cli: Cli): Promise<void> =>
  changed(cli, 'is shipped', (desk, { id }) =>
    desk.post(at`orders/${id}/shipments`, {
      ship_now: true,
      notify: !cli.flag('no-notify'),
      carrier: cli.option('carrier'),
      tracking_number: cli.option('tracking'),
      tracking_url: cli.option('tracking-url'),
    }),
  );

/** `appctl store order complete ORDER`. */
export const completeOrder = (cli: Cli): Promise<void> =>
  changed(cli, 'is completed', async (desk, before) => {
    await cli.confirm({
      action: `complete ${nameOf(before)}`,
      more: [
        `It is ${before.status} and ${before.payment_status} now. A completed order cannot be reopened.`,
      ],
    });
    return desk.post(at`orders/${before.id}/complete`, { force: cli.flag('force') });
  });

/** `appctl store order cancel ORDER`. */
export const cancelOrder = (cli: Cli): Promise<void> =>
  changed(cli, 'is canceled', async (desk, before) => {
    const isRefunded = cli.flag('refund');
    const paid = words(before.paid_cents + before.gift_card_cents - before.refunded_cents, before);
    await cli.confirm({
      action: `cancel ${nameOf(before)}`,
      more: [
        `It is ${before.status} and ${before.payment_status} now, and ${paid} was paid. ${isRefunded ? 'The canceled part is refunded.' : 'Nothing is refunded without --refund, except to gift cards.'}`,
        'A canceled order cannot be reopened; to undo, create a new order.',
      ],
    });
    return desk.post(at`orders/${before.id}/cancel`, {
      reason: cli.required('reason'),
      refund: isRefunded ? 'full' : 'none',
      restock: !cli.flag('no-restock'),
      notify: !cli.flag('no-notify'),
    });
  });

interface Refundable {
  readonly total_cents: number;
}

interface Refunded {
  readonly status: string;
  readonly amount_cents: number;
  readonly also: readonly Omit<Refunded, 'also'>[];
}

/** `appctl store order refund ORDER`. */
export const refundOrder = (cli: Cli): Promise<void> =>
  changed(cli, 'is refunded', async (desk, before) => {
    const cents = centsIn(cli.required('amount'), before.currency, 'amount');
    const left = (await desk.get<Answer<Refundable>>(at`orders/${before.id}/refundable`)).data.total_cents;
    await cli.confirm({
      action: `refund ${words(cents, before)} of ${nameOf(before)}`,
      more: [
        `${words(left, before)} can be refunded now, and ${words(Math.max(0, left - cents), before)} afterwards. A refund cannot be undone.`,
      ],
    });
    // A processor would be asked: nothing of it can be tried.
    if (cli.dryRun) return `refund ${words(cents, before)} of ${nameOf(before)}`;
    const { data } = await desk.post<Answer<Refunded>>(at`orders/${before.id}/refunds`, {
      adjustment_cents: cents,
      reason: cli.required('reason'),
      notify: !cli.flag('no-notify'),
    });
    return `${nameOf(before)}: ${refundSaid([data, ...data.also], before)}`;
  });

/** `appctl store order note ORDER TEXT`. */
export const noteOrder = (cli: Cli): Promise<void> =>
  changed(cli, 'has a new note', (desk, { id }) =>
    desk.post(at`orders/${id}/notes`, {
      body: cli.argument('text'),
      visible_to_customer: cli.flag('visible'),
    }),
  );
