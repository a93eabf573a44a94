import type { Page } from '#kernel/service/pagination.ts';
import type { CustomerView } from '#licensing/catalog/customers/view.ts';
import type { CustomerData } from '#licensing/licenses/holders/view.ts';
import { writeCard } from '../card.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { withOutputFile } from '../frame/output-file.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { customerOf, withCustomers } from './twin.ts';

const columns: readonly Column<CustomerView>[] = [
  { key: 'id' },
  { key: 'email' },
  { key: 'name' },
  { key: 'licenses', align: 'right', text: ({ licenses }) => String(licenses.length) },
];

/** `appctl customer list`. */
export function listCustomers(cli: Cli): Promise<void> {
  const asked = { ...pageAsked(cli), q: cli.option('q') };
  return withCustomers(cli, async (desk) =>
    cli.out.page(await desk.get<Page<CustomerView>>('customers', asked), columns),
  );
}

/** One customer; for a person each license in a few words. */
export const writeCustomer = (cli: Cli, customer: CustomerView): Promise<void> =>
  writeCard(cli, customer, {
    licenses: customer.licenses.map(({ id, product, status }) => `${id} (${product}, ${status})`),
  });

/** `appctl customer show EMAIL|ID`. */
export function showCustomer(cli: Cli): Promise<void> {
  return withCustomers(cli, async (desk) =>
    writeCustomer(cli, await customerOf(desk, cli.argument('customer'))),
  );
}

/** `appctl customer export EMAIL|ID`: JSON on a terminal too, since it is a file for somebody else. */
export function exportCustomer(cli: Cli): Promise<void> {
  return withCustomers(cli, async (desk) => {
    const data = await desk.get<CustomerData>(at`customers/${cli.argument('customer')}/export`);
    const text = `${JSON.stringify(data, null, 2)}\n`;
    const path = cli.option('out');
    if (path === undefined) {
      if (cli.json) return cli.out.value(data, () => text);
      return cli.out.raw(text);
    }
    await withOutputFile({ path, force: cli.flag('force') }, async (file) => file.write(text));
    cli.note(`wrote ${path}`);
    if (cli.json) await cli.out.value(data, () => text);
  });
}
