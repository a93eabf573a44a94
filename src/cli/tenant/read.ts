import * as tenants from '#platform/tenants/index.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';

const columns: readonly Column<tenants.Tenant>[] = [
  { key: 'id' },
  { key: 'slug' },
  { key: 'name' },
  { key: 'status' },
  { key: 'hostnames', title: 'host names', text: ({ hostnames }) => hostnames.join(', ') },
];

/** `appctl tenant list`. */
export function listTenants(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => cli.out.page(await tenants.list(ctx, pageAsked(cli)), columns));
}

/** `appctl tenant show TENANT`. */
export function showTenant(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => writeCard(cli, await tenants.get(ctx, cli.argument('tenant'))));
}
