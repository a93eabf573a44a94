import type { Ctx } from '#kernel/context.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import type { CustomerView } from '#licensing/catalog/customers/view.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';

const columns: readonly Column<CustomerView>[] = [
  { key: 'id' },
  { key: 'email' },
  { key: 'name' },
  { key: 'licenses', align: 'right', text: ({ licenses }) => String(licenses.length) },
];

/** `appctl customer list`. */
export function listCustomers(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const page = await customers.list(ctx, { ...pageAsked(cli), q: cli.option('q') });
    const held = await licensesOf(ctx, page.items);
    await cli.out.page({ ...page, items: page.items.map((one) => customerView(ctx, one, held)) }, columns);
  });
}

/** `appctl customer show EMAIL|ID`. */
export function showCustomer(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    await writeCard(cli, await viewOf(ctx, await customers.get(ctx, cli.argument('customer'))));
  });
}

/** A customer with their licenses. */
export const viewOf = async (ctx: Ctx, customer: customers.Customer): Promise<CustomerView> =>
  customerView(ctx, customer, await licensesOf(ctx, [customer]));

/** The licenses of customers, in a few queries for all of them. */
async function licensesOf(ctx: Ctx, owners: readonly customers.Customer[]): Promise<licenses.License[]> {
  const customerIds = owners.map(({ id }) => id);
  const found: licenses.License[] = [];
  if (customerIds.length === 0) return found;
  for await (const page of licenses.licenseRows.stream(ctx, {
    sort: 'id',
    filters: { customerId: customerIds },
  }))
    found.push(...page);
  return found;
}

function customerView(
  ctx: Ctx,
  { id, email, name, metadata }: customers.Customer,
  held: readonly licenses.License[],
): CustomerView {
  const own = held
    .filter(({ customer }) => customer.id === id)
    .map((license) => licenses.licenseView(ctx, license));
  return {
    id,
    email,
    name,
    metadata,
    licenses: own.map(({ id, keyMasked, productSlug, status }) => ({
      id,
      keyMasked,
      product: productSlug,
      status,
    })),
  };
}
