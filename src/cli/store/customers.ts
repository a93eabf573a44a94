import { moneyWords } from '#kernel/money-words.ts';
import type { StoreCustomerDetails } from '#storefront/buying/customer-desk/view.ts';
import type { StoreCustomer } from '#storefront/people/customers/index.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { fileAsked, requireFit, writeExport } from '../export/stream.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { inputFile } from '../input-file.ts';
import { pageAsked } from '../paging.ts';
import { createReport, writeReport } from './import-report.ts';
import { type Answer, loadStoreApi, orListed, pageAt } from './twin.ts';

const twins = async () => {
  const [{ customerResource }, { customerImportEndpoint }] = await Promise.all([
    import('#storefront/buying/customer-desk/resource.ts'),
    import('#storefront/buying/customer-desk/endpoints.store.ts'),
  ]);
  return [...customerResource.endpoints('store'), customerImportEndpoint];
};

const withCustomers = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);

const nameOf = ({ first_name: first, last_name: last }: StoreCustomer): string =>
  [first, last].filter(Boolean).join(' ');
const spent = ({ spent_cents: amountCents, currency }: StoreCustomer): string =>
  moneyWords({ amountCents, currency }, 'en');

const columns: readonly Column<StoreCustomer>[] = [
  { key: 'email' },
  { key: 'first_name', title: 'name', text: nameOf },
  { key: 'has_account', title: 'account' },
  { key: 'status' },
  { key: 'order_count', title: 'orders', align: 'right' },
  { key: 'spent_cents', title: 'spent', align: 'right', text: spent },
  { key: 'created_at', title: 'since', time: true },
  { key: 'id' },
];

const customerCard = (one: StoreCustomerDetails) =>
  card([
    ['email', one.email],
    ['id', one.id],
    ['name', nameOf(one)],
    ['phone', one.phone],
    ['account', one.has_account ? one.status.replace('anonymised', 'anonymized') : 'guest'],
    ['marketing', one.accepts_marketing ? 'yes' : 'no'],
    ['groups', one.groups.map(({ name }) => name)],
    ['tags', one.tags],
    ['tax', one.tax_exempt ? 'exempt' : null],
    ['orders', `${one.stats.order_count}, ${one.stats.open_orders} open`],
    ['spent', spent(one)],
    ['last order', one.stats.last_order_at],
    ['since', one.created_at],
  ]);

const filtersOf = (cli: Cli) => ({
  q: cli.option('q') || undefined,
  tag: cli.option('tag'),
  group_id: cli.option('group'),
  has_account: cli.flag('accounts') ? true : cli.flag('guests') ? false : undefined,
});

/** A customer by id or address; of an account and a guest with one address the account. */
async function read(desk: Desk, name: string): Promise<StoreCustomerDetails> {
  const byId = (id: string) =>
    orListed('store customer', desk.get<Answer<StoreCustomerDetails>>(at`customers/${id}`));
  if (!name.includes('@')) return (await byId(name)).data;
  const { items } = await pageAt<StoreCustomer>(desk, 'customers', { q: name, page: 1, limit: 100 });
  const same = items.filter(({ email }) => email.toLowerCase() === name.toLowerCase());
  const found = same.find(({ has_account }) => has_account) ?? same[0];
  if (!found) throw notFoundError(`customer ${name} does not exist`, 'appctl store customer list');
  return (await byId(found.id)).data;
}

/** `appctl store customer list`. */
export const listCustomers = (cli: Cli): Promise<void> =>
  withCustomers(cli, async (desk) =>
    cli.out.page(
      await pageAt<StoreCustomer>(desk, 'customers', { ...pageAsked(cli), ...filtersOf(cli) }),
      columns,
    ),
  );

/** `appctl store customer show CUSTOMER`. */
export const showCustomer = (cli: Cli): Promise<void> =>
  withCustomers(cli, async (desk) => {
    const one = await read(desk, cli.argument('customer'));
    await cli.out.value(one, customerCard(one));
  });

/** `appctl store customer create`. */
export const createCustomer = (cli: Cli): Promise<void> =>
  withCustomers(cli, async (desk) => {
    const { data } = await desk.post<Answer<StoreCustomerDetails>>('customers', {
      email: cli.required('email'),
      first_name: cli.option('first-name'),
      last_name: cli.option('last-name'),
      phone: cli.option('phone'),
      ...(cli.flag('tax-exempt') && { tax_exempt: true }),
    });
    await cli.out.value(planned(cli, data), customerCard(data));
    noteChange(cli, `added customer ${data.email}`);
  });

/** Does something with a customer and shows what became of it. @param said after the address */
async function changed(
  cli: Cli,
  said: string,
  work: (desk: Desk, before: StoreCustomerDetails) => Promise<unknown>,
): Promise<void> {
  return withCustomers(cli, async (desk) => {
    const before = await read(desk, cli.argument('customer'));
    await work(desk, before);
    const after = await read(desk, before.id);
    await cli.out.value(planned(cli, after), customerCard(after));
    noteChange(cli, `customer ${after.email} ${said}`);
  });
}

/** `appctl store customer disable CUSTOMER`. */
export const disableCustomer = (cli: Cli): Promise<void> =>
  changed(cli, 'is disabled', async (desk, { id, email }) => {
    await cli.confirm({
      action: `disable ${email}`,
      more: ['Sessions end now, and the customer cannot sign in. To undo: appctl store customer enable'],
    });
    return desk.post(at`customers/${id}/disable`, { reason: cli.option('reason') });
  });

/** `appctl store customer enable CUSTOMER`. */
export const enableCustomer = (cli: Cli): Promise<void> =>
  changed(cli, 'is enabled', (desk, { id }) => desk.post(at`customers/${id}/enable`, {}));

/** `appctl store customer merge CUSTOMER SOURCE`. */
export const mergeCustomers = (cli: Cli): Promise<void> =>
  changed(cli, 'now has everything from both', async (desk, before) => {
    const source = await read(desk, cli.argument('source'));
    await cli.confirm({
      action: `merge ${source.email} into ${before.email}`,
      name: source.email,
      more: [
        `${before.email} has ${before.order_count} orders now, and ${before.order_count + source.order_count} after the merge. ${source.email} is anonymized. This cannot be undone.`,
      ],
    });
    return desk.post(at`customers/${before.id}/merge`, { source_id: source.id });
  });

/** `appctl store customer erase CUSTOMER`. */
export const eraseCustomer = (cli: Cli): Promise<void> =>
  changed(cli, 'is erased', async (desk, { id, email }) => {
    await cli.confirm({
      action: `erase ${email} for good`,
      name: email,
      more: ['Orders, invoices and amounts stay. This cannot be undone.'],
    });
    return desk.delete(at`customers/${id}`);
  });

/** `appctl store customer export`. */
export async function exportCustomers(cli: Cli): Promise<void> {
  requireFit(cli, 'csv');
  const file = fileAsked(cli);
  await withCustomers(cli, (desk) =>
    desk.download('customers/export.csv', filtersOf(cli), ({ chunks }) =>
      writeExport(cli, file, chunks, () => ({
        value: { file: file ?? '' },
        human: `wrote ${file}`,
      })),
    ),
  );
}

/** Lines of one request. */
const AT_ONCE = 100;

interface Line {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly index: number;
  readonly email: string | null;
  readonly result: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly error?: { readonly error_code: string; readonly message: string };
}

/** `appctl store customer import FILE|-`. @returns 7 when lines failed, else 0 */
export async function importCustomers(cli: Cli): Promise<number> {
  const [{ columnOf }, { decodeUtf8 }, { openTable }] = await Promise.all([
    import('#storefront/buying/customer-desk/view.ts'),
    import('#kernel/records/utf8.ts'),
    import('#kernel/records/table.ts'),
  ]);
  const file = inputFile(cli, 'FILE', cli.argument('file'));
  return withCustomers(cli, async (desk) => {
    const report = createReport();
    let batch: Line[] = [];
    const send = async () => {
      if (batch.length === 0) return;
      const rows = batch.map(({ cells }) => cells);
      const { data } = await desk.post<Answer<Outcome[]>>('customers/import', { rows });
      for (const { index, email, result, error } of data) {
        const line = batch[index]?.line ?? 0;
        if (result === 'failed') report.fail(line, email, error?.error_code ?? '', error?.message ?? '');
        else report.done(result);
      }
      batch = [];
    };
    for await (const row of (await openTable(decodeUtf8(file.open()))).rows) {
      if ('fault' in row) report.fail(row.line, null, 'VALIDATION_ERROR', row.fault);
      else {
        const cells = [...row.values].map(([column, value]) => [columnOf(column), String(value ?? '')]);
        batch.push({ line: row.line, cells: Object.fromEntries(cells) });
      }
      if (batch.length >= AT_ONCE) await send();
    }
    await send();
    return writeReport(cli, report);
  });
}
