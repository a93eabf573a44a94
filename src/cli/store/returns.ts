import type { StoreReturnShown, StoreReturnSummaryShown } from '#storefront/orders/returns/view.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { centsIn, words } from './amounts.ts';
import { refundedWords, refundSaid } from './refund-words.ts';
import { type Answer, loadStoreApi, orListed, pageAt } from './twin.ts';

const twins = async () =>
  (await import('#storefront/orders/returns/resource.ts')).returnResource.endpoints('store');

const withReturns = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);

type Shown = StoreReturnShown;
const unitsOf = ({ items }: Pick<Shown, 'items'>): number =>
  items.reduce((sum, { quantity }) => sum + quantity, 0);

const columns: readonly Column<StoreReturnSummaryShown>[] = [
  { key: 'return_number', title: 'number' },
  { key: 'requested_at', title: 'requested', time: true },
  { key: 'order_number', title: 'order' },
  { key: 'email' },
  { key: 'items', title: 'units', align: 'right', text: (one) => String(unitsOf(one)) },
  { key: 'resolution', title: 'wanted' },
  { key: 'status' },
  { key: 'id' },
];

const returnCard = (one: Shown) =>
  card([
    ['number', one.return_number],
    ['id', one.id],
    ['order', one.order_number],
    ['customer', one.email],
    ['status', one.status],
    ['wanted', one.resolution],
    ['outcome', one.outcome],
    ...one.items.map(
      (item) =>
        [
          item.sku,
          `${item.quantity} × ${item.title}  ${words(item.refund_cents, one)}  (${item.approved_quantity} approved, ${item.received_quantity} received) ${item.reason}`,
        ] as const,
    ),
    ['fee', words(one.restocking_fee_cents, one)],
    ['refunded', refundedWords(one.refunds, one)],
    ['exchange order', one.exchange_order_number],
    ['send by', one.return_by],
    ['tracking', [one.carrier, one.tracking_number].filter(Boolean).join(' ') || null],
    ['ended because', one.end_reason],
    ['requested', one.requested_at],
  ]);

const refundedOf = ({ refunds }: Shown): number =>
  refunds.reduce((sum, { status, amount_cents: cents }) => (status === 'failed' ? sum : sum + cents), 0);

const read = async (desk: Desk, name: string): Promise<Shown> =>
  (await orListed('store return', desk.get<Answer<Shown>>(at`returns/${name}`))).data;

/** `appctl store return list`. */
export function listReturns(cli: Cli): Promise<void> {
  const asked = {
    ...pageAsked(cli),
    status: cli.option('status'),
    q: cli.option('q') || undefined,
    order_id: cli.option('order'),
  };
  return withReturns(cli, async (desk) =>
    cli.out.page(await pageAt<StoreReturnSummaryShown>(desk, 'returns', asked), columns),
  );
}

/** `appctl store return show RETURN`. */
export function showReturn(cli: Cli): Promise<void> {
  return withReturns(cli, async (desk) => {
    const one = await read(desk, cli.argument('return'));
    await cli.out.value(one, returnCard(one));
  });
}

/**
 * Does something with a return and shows what became of it.
 *
 * @param said after its number, or all that is said
 */
async function changed(
  cli: Cli,
  said: string | ((after: Shown, before: Shown) => string),
  work: (desk: Desk, before: Shown) => Promise<unknown>,
): Promise<void> {
  return withReturns(cli, async (desk) => {
    const before = await read(desk, cli.argument('return'));
    await work(desk, before);
    const after = await read(desk, before.id);
    await cli.out.value(planned(cli, after), returnCard(after));
    const done = typeof said === 'string' ? `return ${after.return_number} ${said}` : said(after, before);
    noteChange(cli, done);
  });
}

const nameOf = ({ return_number: number, order_number: order }: Shown): string =>
  `return ${number} of order ${order}`;
const nowOf = (one: Shown): string =>
  `It is ${one.status.replace('_', ' ')} now, with ${unitsOf(one)} ${unitsOf(one) === 1 ? 'unit' : 'units'}.`;

/** `appctl store return approve RETURN`. */
export const approveReturn = (cli: Cli): Promise<void> =>
  changed(cli, 'is approved', async (desk, before) => {
    await cli.confirm({
      action: `approve ${nameOf(before)}`,
      more: [`${nowOf(before)} The customer is asked to send it back; it can be canceled until it arrives.`],
    });
    if (cli.dryRun) return null;
    return desk.post(at`returns/${before.id}/approve`, {
      instructions: cli.option('instructions'),
      label_url: cli.option('label-url'),
    });
  });

/** `appctl store return reject RETURN`. */
export const rejectReturn = (cli: Cli): Promise<void> =>
  changed(cli, 'is rejected', async (desk, before) => {
    const reason = cli.required('reason');
    await cli.confirm({
      action: `reject ${nameOf(before)}`,
      more: [`${nowOf(before)} The customer can request it again while there is time.`],
    });
    return desk.post(at`returns/${before.id}/reject`, { reason });
  });

/** `appctl store return receive RETURN`. */
export const receiveReturn = (cli: Cli): Promise<void> =>
  changed(cli, 'is received', async (desk, before) => {
    const condition = cli.option('condition') ?? 'new';
    const restock = condition !== 'damaged' && !cli.flag('no-restock');
    await cli.confirm({
      action: `receive ${nameOf(before)}`,
      more: [
        `${nowOf(before)} The goods ${restock ? 'go back into stock' : 'do not go back into stock'}. To undo, correct the stock.`,
      ],
    });
    return desk.post(at`returns/${before.id}/receive`, {
      items: before.items
        .filter(({ approved_quantity: units }) => units > 0)
        .map((item) => ({ id: item.id, received_quantity: item.approved_quantity, condition, restock })),
    });
  });

const feeAsked = (cli: Cli, { currency }: Shown): number | undefined => {
  const typed = cli.option('fee');
  return typed === undefined ? undefined : centsIn(typed, currency, 'fee');
};
const worthOf = ({ items }: Shown): number => items.reduce((sum, { refund_cents: cents }) => sum + cents, 0);

/** What a refund would do; the fee of the settings is known to the shop alone. @throws CliError (5) for another state */
function refundPlan(cli: Cli, one: Shown): string {
  if (!one.allowed.includes('refund'))
    throw conflictError(
      `return ${one.return_number} is ${one.status.replace('_', ' ')}: only a received return can be refunded`,
      `appctl store return show ${one.return_number}`,
    );
  const fee = feeAsked(cli, one);
  const worth = worthOf(one) - refundedOf(one);
  const kept = fee === undefined ? 'the restocking fee from the settings' : `a fee of ${words(fee, one)}`;
  const rest = fee === undefined ? '' : `: ${words(Math.max(0, worth - fee), one)} would be refunded`;
  return `refund ${nameOf(one)}, ${words(worth, one)} for what arrived, less ${kept}${rest}`;
}

const refundDone = ({ return_number: number, ...after }: Shown, before: Shown): string => {
  const known = new Set(before.refunds.map(({ id }) => id));
  const made = after.refunds.filter(({ id }) => !known.has(id));
  return `return ${number} is ${after.status}; ${refundSaid(made, after)}`;
};

/** `appctl store return refund RETURN`. */
export const refundReturn = (cli: Cli): Promise<void> =>
  changed(cli, cli.dryRun ? (one) => refundPlan(cli, one) : refundDone, async (desk, before) => {
    const fee = feeAsked(cli, before);
    const worth = worthOf(before);
    await cli.confirm({
      action: `refund ${nameOf(before)}`,
      more: [
        `The goods that arrived cost ${words(worth, before)}; ${fee === undefined ? 'the restocking fee from the settings' : words(fee, before)} is deducted. A refund cannot be undone.`,
      ],
    });
    // A processor would be asked: nothing of it can be tried.
    if (cli.dryRun) return null;
    return desk.post(at`returns/${before.id}/refund`, {
      restocking_fee_cents: fee,
      to: cli.option('to'),
    });
  });

/** `appctl store return cancel RETURN`. */
export const cancelReturn = (cli: Cli): Promise<void> =>
  changed(cli, 'is canceled', async (desk, before) => {
    await cli.confirm({
      action: `cancel ${nameOf(before)}`,
      more: [`${nowOf(before)} The customer can request it again while there is time.`],
    });
    return desk.post(at`returns/${before.id}/cancel`, { reason: cli.option('reason') });
  });
