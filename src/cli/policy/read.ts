import type { Page } from '#kernel/service/pagination.ts';
import type { PolicyView } from '#licensing/catalog/policies/view.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { policyOf, withPolicies } from './twin.ts';
import { linkedTo, writePolicy } from './write.ts';

const columns: readonly Column<PolicyView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'heartbeatInterval', title: 'heartbeat', align: 'right' },
  { key: 'heartbeatCullStrategy', title: 'cull strategy' },
  { key: 'defaultLeaseDuration', title: 'lease', align: 'right' },
  { key: 'gracePeriodSeconds', title: 'grace', align: 'right' },
  { key: 'maxVersion', title: 'max version' },
  { key: 'linked', title: 'linked to', text: linkedTo },
  { key: 'createdAt', title: 'created', time: true },
];

/** `appctl policy list`. */
export function listPolicies(cli: Cli): Promise<void> {
  const asked = { ...pageAsked(cli), q: cli.option('q') };
  return withPolicies(cli, async (desk) =>
    cli.out.page(await desk.get<Page<PolicyView>>('policies', asked), columns),
  );
}

/** `appctl policy show POLICY`. */
export function showPolicy(cli: Cli): Promise<void> {
  return withPolicies(cli, async (desk) => writePolicy(cli, await policyOf(desk, cli.argument('policy'))));
}
