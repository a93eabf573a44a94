import type { z } from 'zod';
import { counted } from '#kernel/counts.ts';
import type { CustomerUpdateInput } from '#licensing/catalog/customers/index.ts';
import type { CustomerErased } from '#licensing/catalog/customers/view.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { metadataAsked } from '../license/fields.ts';
import { writeCustomer } from './read.ts';
import { customerOf, type OneCustomer, withCustomers } from './twin.ts';

const flags = { email: '--email', name: '--name', metadata: '--meta' };

/** Name and metadata as they were given; only what was. */
function given(cli: Cli): { name?: string; metadata?: Record<string, string> } {
  const [name, metadata] = [cli.option('name'), metadataAsked(cli)];
  return { ...(name !== undefined && { name }), ...(metadata !== undefined && { metadata }) };
}

/** `appctl customer create`. */
export function createCustomer(cli: Cli): Promise<void> {
  const input = { email: cli.required('email'), ...given(cli) };
  return withCustomers(cli, async (desk) => {
    const { customer } = await namingFlags(flags, () => desk.post<OneCustomer>('customers', input));
    await writeCustomer(cli, planned(cli, customer));
    if (!cli.dryRun) cli.next(`appctl license mint --product SLUG --email ${customer.email}`);
  });
}

/** `appctl customer update CUSTOMER`. */
export async function updateCustomer(cli: Cli): Promise<void> {
  const email = cli.option('email');
  const cleared = clearedFields(cli, flags);
  const input: CustomerUpdateInput = {
    ...(email !== undefined && { email }),
    ...given(cli),
    ...('name' in cleared && { name: null }),
    ...('metadata' in cleared && { metadata: {} }),
  };
  const changed = Object.keys(input);
  if (changed.length === 0) throw usageError('nothing to change', 'appctl customer update --help');
  await withCustomers(cli, async (desk) => {
    const { customer } = await namingFlags(flags, () =>
      desk.patch<OneCustomer>(at`customers/${cli.argument('customer')}`, input),
    );
    await writeCustomer(cli, planned(cli, customer));
    noteChange(cli, `changed ${changed.join(', ')} of ${customer.email}`);
  });
}

/** `appctl customer merge CUSTOMER INTO`. */
export function mergeCustomers(cli: Cli): Promise<void> {
  return withCustomers(cli, async (desk) => {
    const from = await customerOf(desk, cli.argument('customer'));
    const into = await customerOf(desk, cli.argument('into'));
    await cli.confirm({
      action: `give the licenses of ${from.email} to ${into.email} and remove ${from.email}`,
    });
    const { customer, moved } = await desk.post<OneCustomer & { moved: number }>(
      at`customers/${from.id}/merge`,
      { intoCustomerId: into.id },
    );
    await writeCustomer(cli, planned(cli, { ...customer, moved }));
    noteChange(cli, `${counted(moved, 'license')} moved from ${from.email} to ${into.email}`);
  });
}

/** `appctl customer erase CUSTOMER`. */
export function eraseCustomer(cli: Cli): Promise<void> {
  return withCustomers(cli, async (desk) => {
    const { id, email } = await customerOf(desk, cli.argument('customer'));
    await cli.confirm({ action: `erase ${email} for good`, name: email });
    const report = await desk.post<z.output<typeof CustomerErased>>(at`customers/${id}/anonymize`);
    await writeCard(cli, planned(cli, report));
    const { licenses } = report;
    noteChange(cli, `erased ${email}; ${counted(licenses, 'license')} ${licenses === 1 ? 'stays' : 'stay'}`);
  });
}
