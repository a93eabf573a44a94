import * as policies from '#licensing/catalog/policies/index.ts';
import { policyView } from '#licensing/catalog/policies/view.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';

/** `appctl policy attach POLICY --product SLUG | --license ID…`. */
export const attachPolicy = (cli: Cli): Promise<void> => link(cli, licenses.attachPolicy, 'governs');

/** `appctl policy detach POLICY --product SLUG | --license ID…`. */
export const detachPolicy = (cli: Cli): Promise<void> =>
  link(cli, licenses.detachPolicy, 'governs no longer');

async function link(cli: Cli, change: typeof licenses.attachPolicy, verb: string): Promise<void> {
  const product = cli.option('product');
  const licenseIds = cli.list('license');
  if (product === undefined && licenseIds.length === 0)
    throw usageError('--product or --license is required');
  await withLocal(cli, async ({ ctx }) => {
    const targets = { ...(product !== undefined && { product }), licenseIds };
    const policy = await changeOrPlan(cli, ctx, (ctx) => change(ctx, cli.argument('policy'), targets));
    await writeCard(cli, planned(cli, policyView(policy)));
    const named = [...(product === undefined ? [] : [product]), ...licenseIds];
    noteChange(cli, `${policy.name} ${verb} ${named.join(', ')}`);
  });
}

/** `appctl policy delete POLICY`; the answer is the policy that is gone. */
export function deletePolicy(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const policy = await policies.get(ctx, cli.argument('policy'));
    await changeOrPlan(cli, ctx, (ctx) => policies.remove(ctx, policy.id));
    await writeCard(cli, planned(cli, policyView(policy)));
    noteChange(cli, `deleted ${policy.name}`);
  });
}
