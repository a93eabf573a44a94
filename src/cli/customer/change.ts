import * as customers from '#licensing/catalog/customers/index.ts';
import { mergeCustomers as mergeHolders } from '#licensing/licenses/licenses/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { metadataAsked } from '../license/fields.ts';
import { withLocal } from '../open.ts';
import { viewOf } from './read.ts';

const flags = { email: '--email', name: '--name', metadata: '--meta' };

/** Name and metadata as they were given; only what was. */
function given(cli: Cli): { name?: string; metadata?: Record<string, string> } {
  const [name, metadata] = [cli.option('name'), metadataAsked(cli)];
  return { ...(name !== undefined && { name }), ...(metadata !== undefined && { metadata }) };
}

/** `appctl customer create`. */
export function createCustomer(cli: Cli): Promise<void> {
  const input = { email: cli.required('email'), ...given(cli) };
  return withLocal(cli, async ({ ctx }) => {
    const view = await changeOrPlan(cli, ctx, async (ctx) =>
      viewOf(ctx, await namingFlags(flags, () => customers.create(ctx, input))),
    );
    await writeCard(cli, planned(cli, view));
    if (!cli.dryRun) cli.next(`appctl license mint --product SLUG --email ${view.email}`);
  });
}

/** `appctl customer update CUSTOMER`. */
export async function updateCustomer(cli: Cli): Promise<void> {
  const email = cli.option('email');
  const cleared = clearedFields(cli, flags);
  const input: customers.CustomerUpdateInput = {
    ...(email !== undefined && { email }),
    ...given(cli),
    ...('name' in cleared && { name: null }),
    ...('metadata' in cleared && { metadata: {} }),
  };
  const changed = Object.keys(input);
  if (changed.length === 0) throw usageError('nothing to change', 'appctl customer update --help');
  await withLocal(cli, async ({ ctx }) => {
    const view = await changeOrPlan(cli, ctx, async (ctx) =>
      viewOf(ctx, await namingFlags(flags, () => customers.update(ctx, cli.argument('customer'), input))),
    );
    await writeCard(cli, planned(cli, view));
    noteChange(cli, `changed ${changed.join(', ')} of ${view.email}`);
  });
}

/** `appctl customer merge CUSTOMER INTO`. */
export function mergeCustomers(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const from = await customers.get(ctx, cli.argument('customer'));
    const into = await customers.get(ctx, cli.argument('into'));
    await cli.confirm({
      action: `give the licenses of ${from.email} to ${into.email} and remove ${from.email}`,
    });
    const view = await changeOrPlan(cli, ctx, async (ctx) => {
      const { customer, licenses } = await mergeHolders(ctx, from.id, into.id);
      return { ...(await viewOf(ctx, customer)), moved: licenses };
    });
    await writeCard(cli, planned(cli, view));
    noteChange(cli, `${view.moved} licenses went from ${from.email} to ${into.email}`);
  });
}

/** `appctl customer erase CUSTOMER`. */
export function eraseCustomer(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const { id, email } = await customers.get(ctx, cli.argument('customer'));
    await cli.confirm({ action: `erase ${email} for good`, name: email });
    const report = await changeOrPlan(cli, ctx, async (ctx) => {
      const { customer, licenses, events } = await customers.erase(ctx, id);
      return { id, email: customer.email, licenses, events };
    });
    await writeCard(cli, planned(cli, report));
    noteChange(cli, `erased ${email}; ${report.licenses} licenses stay`);
  });
}
