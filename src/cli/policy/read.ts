import * as policies from '#licensing/catalog/policies/index.ts';
import { type PolicyView, policyView } from '#licensing/catalog/policies/view.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';

const columns: readonly Column<PolicyView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'heartbeatInterval', title: 'heartbeat', align: 'right' },
  { key: 'heartbeatCullStrategy', title: 'cull strategy' },
  { key: 'defaultLeaseDuration', title: 'lease', align: 'right' },
  { key: 'gracePeriodSeconds', title: 'grace', align: 'right' },
  { key: 'maxVersion', title: 'max version' },
  { key: 'createdAt', title: 'created', time: true },
];

/** `appctl policy list`. */
export function listPolicies(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const page = await policies.list(ctx, { ...pageAsked(cli), q: cli.option('q') });
    await cli.out.page({ ...page, items: page.items.map(policyView) }, columns);
  });
}

/** `appctl policy show POLICY`. */
export function showPolicy(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    await writeCard(cli, policyView(await policies.get(ctx, cli.argument('policy'))));
  });
}
