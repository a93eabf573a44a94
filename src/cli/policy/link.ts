import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { type OnePolicy, policyOf, withPolicies } from './twin.ts';
import { writePolicy } from './write.ts';

/** `appctl policy attach POLICY --product SLUG | --license ID…`. */
export const attachPolicy = (cli: Cli): Promise<void> => link(cli, 'attach', 'applies to');

/** `appctl policy detach POLICY --product SLUG | --license ID…`. */
export const detachPolicy = (cli: Cli): Promise<void> => link(cli, 'detach', 'no longer applies to');

async function link(cli: Cli, action: 'attach' | 'detach', verb: string): Promise<void> {
  const product = cli.option('product');
  const licenseIds = cli.list('license');
  if (product === undefined && licenseIds.length === 0)
    throw usageError('--product or --license is required');
  const productIds = product === undefined ? [] : [product];
  await withPolicies(cli, async (desk) => {
    const path = at`policies/${cli.argument('policy')}/${action}`;
    const { policy } = await desk.post<OnePolicy>(path, { productIds, licenseIds });
    await writePolicy(cli, planned(cli, policy));
    noteChange(cli, `${policy.name} ${verb} ${[...productIds, ...licenseIds].join(', ')}`);
  });
}

/** `appctl policy delete POLICY`; the answer is the policy that is gone. */
export function deletePolicy(cli: Cli): Promise<void> {
  return withPolicies(cli, async (desk) => {
    const policy = await policyOf(desk, cli.argument('policy'));
    await desk.delete(at`policies/${policy.id}`);
    await writePolicy(cli, planned(cli, policy));
    noteChange(cli, `deleted ${policy.name}`);
  });
}
